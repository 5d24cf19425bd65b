package worker

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

// A Command is the program that is started for each worker, and its arguments before those of the task.
type Command struct {
	Path string
	Args []string
	Out  io.Writer // takes what workers print to standard output and standard error
}

// ChildFlag is the flag with which a worker is started that ends as soon as its standard input does:
// see EndWithParent.
const ChildFlag = "child"

// EndWithParent ends the process, with status 0, as soon as its standard input ends: when who started
// it wants it to end, or has ended itself, however that was. Ctrl-C, which a terminal sends to all,
// does not end it any more.
func EndWithParent() {
	signal.Ignore(os.Interrupt)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}

// grace is how long a worker has to end by itself before it is killed.
const grace = 2 * time.Second

// A process is one that has been started for a task.
type process struct {
	cmd   *exec.Cmd
	stdin io.Closer
	ended chan struct{} // closed when the process has ended
	err   error         // of its end, valid after that
}

// start starts a process for the task.
func (c *Command) start(t *Task) (*process, error) {
	args := append(append([]string{}, c.Args...), "--"+ChildFlag)
	p := &process{cmd: exec.Command(c.Path, append(args, t.args()...)...), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = c.Out, c.Out
	// What a worker has left running must not keep Wait waiting for the ends of its pipes.
	p.cmd.WaitDelay = grace
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p.stdin = stdin
	if err := p.cmd.Start(); err != nil {
		_ = stdin.Close()
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// stop ends the process and returns when it has ended.
func (p *process) stop() {
	_ = p.stdin.Close()
	select {
	case <-p.ended:
	case <-time.After(grace):
		_ = p.cmd.Process.Kill()
		<-p.ended
	}
}
