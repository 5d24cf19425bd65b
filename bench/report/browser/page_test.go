package browser

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// findBrowser returns the path of a browser, or skips the test.
func findBrowser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("BLSKERNEL_BROWSER") == "required" {
		t.Fatal("no browser found, and BLSKERNEL_BROWSER=required")
	}
	t.Skip("no browser found: install chromium, or set BLSKERNEL_BROWSER=required to have this fail")
	return ""
}

// findPage returns the folder of the page: that of the environment, or a new one with the sample's.
func findPage(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("BLSKERNEL_PAGE"); dir != "" {
		dir, err := filepath.Abs(dir)
		if err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dir := t.TempDir()
	cmd := exec.Command("go", "test", "-count=1", "-run", "^TestSamplePage$", ".")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "BLSKERNEL_SAMPLE_PAGE="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("the page of the sample cannot be made: %v\n%s", err, out)
	}
	return dir
}

// A view is a way to look at the page.
type view struct {
	name          string
	width, height int64
	scheme        string // what the reader prefers
	media         string
}

var views = []view{
	{"phone-light", 380, 800, "light", "screen"},
	{"phone-dark", 380, 800, "dark", "screen"},
	{"small-phone-light", 320, 640, "light", "screen"},
	{"desk-light", 1200, 900, "light", "screen"},
	{"desk-dark", 1200, 900, "dark", "screen"},
	{"print", 794, 1123, "dark", "print"}, // A4 at 96 dots per inch
}

// complaints collects what a browser complains of.
type complaints struct {
	sync.Mutex
	list []string
}

func (c *complaints) add(format string, args ...any) {
	c.Lock()
	defer c.Unlock()
	c.list = append(c.list, fmt.Sprintf(format, args...))
}

// hear takes the events of a page at address.
func (c *complaints) hear(address string) func(event any) {
	return func(event any) {
		switch e := event.(type) {
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning || e.Type == runtime.APITypeAssert {
				for _, arg := range e.Args {
					c.add("console: %s: %s %s", e.Type, arg.Value, arg.Description)
				}
			}
		case *runtime.EventExceptionThrown:
			c.add("exception: %v", e.ExceptionDetails)
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
				c.add("log: %s: %s", e.Entry.Level, e.Entry.Text)
			}
		case *network.EventLoadingFailed:
			c.add("request failed: %s", e.ErrorText)
		case *network.EventRequestWillBeSent:
			if e.Request.URL != address && !strings.HasPrefix(e.Request.URL, "data:") {
				c.add("the page loads %s", e.Request.URL)
			}
		}
	}
}

// A look is what the page says of itself.
type look struct {
	ScrollWidth, ClientWidth int
	Wide                     []string // elements that reach out of the window and are in no box that scrolls
	Plots, EmptyPlots        int
	LeastText                float64 // height in pixels of the smallest text in a plot
	Background, Color        []int
	HiddenTables             int // tables without height
}

const lookScript = `(() => {
	const rgb = s => s.match(/\d+/g).slice(0, 3).map(Number);
	const all = s => [...document.querySelectorAll(s)];
	const root = document.documentElement;
	const style = getComputedStyle(root);
	return {
		ScrollWidth: root.scrollWidth, ClientWidth: root.clientWidth,
		Wide: all('body *').filter(e => !e.closest('.scroll') && e.getBoundingClientRect().right > root.clientWidth + 1).map(e => e.tagName + '#' + e.id).slice(0, 5),
		Plots: all('.plot').length, EmptyPlots: all('.plot').filter(e => e.checkVisibility()).filter(e => e.getBoundingClientRect().height < 100 || e.querySelectorAll('path').length < 5).length,
		LeastText: Math.min(...all('.plot text').filter(e => e.checkVisibility()).map(e => parseFloat(e.getAttribute('font-size')) * e.ownerSVGElement.getBoundingClientRect().width / e.ownerSVGElement.viewBox.baseVal.width)),
		Background: rgb(style.backgroundColor), Color: rgb(style.color),
		HiddenTables: all('table').filter(e => e.getBoundingClientRect().height === 0).length,
	};
})()`

func TestPage(t *testing.T) {
	browser := findBrowser(t)
	dir := findPage(t)
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(dir, "index.html"))}).String()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(browser), chromedp.Flag("disable-gpu", true))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()
	first, cancel := chromedp.NewContext(allocator)
	defer cancel()
	first, cancel = context.WithTimeout(first, 2*time.Minute)
	defer cancel()
	if err := chromedp.Run(first); err != nil {
		t.Fatalf("%s does not start: %v", browser, err)
	}
	for _, v := range views {
		t.Run(v.name, func(t *testing.T) { v.test(t, first, address) })
	}
}

func (v view) test(t *testing.T, first context.Context, address string) {
	ctx, cancel := chromedp.NewContext(first) // a tab of its own
	defer cancel()
	var heard complaints
	chromedp.ListenTarget(ctx, heard.hear(address))
	var closed, open look
	actions := []chromedp.Action{
		network.Enable(), log.Enable(), runtime.Enable(),
		emulation.SetDeviceMetricsOverride(v.width, v.height, 1, v.width < 500),
		emulation.SetEmulatedMedia().WithMedia(v.media).WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}}),
		chromedp.Navigate(address),
		chromedp.WaitReady("footer"),
		chromedp.Evaluate(lookScript, &closed),
		v.picture(),
		chromedp.Evaluate(`document.querySelectorAll('details').forEach(d => d.setAttribute('open', 'open'))`, nil),
		chromedp.Evaluate(lookScript, &open),
	}
	if err := chromedp.Run(ctx, actions...); err != nil {
		t.Fatal(err)
	}
	v.check(t, "as it opens", closed)
	v.check(t, "with all tables open", open)
	if open.HiddenTables > 0 {
		t.Errorf("%d tables have no height when all are open", open.HiddenTables)
	}
	if v.media == "print" {
		if closed.HiddenTables > 0 {
			t.Errorf("%d tables would not be printed", closed.HiddenTables)
		}
		v.print(t, ctx)
	}
	heard.Lock()
	defer heard.Unlock()
	for _, c := range heard.list {
		t.Error(c)
	}
}

func (v view) check(t *testing.T, when string, l look) {
	t.Helper()
	if l.ScrollWidth > l.ClientWidth || len(l.Wide) > 0 {
		t.Errorf("%s: the page is %d pixels wide in a window of %d; too wide are %v", when, l.ScrollWidth, l.ClientWidth, l.Wide)
	}
	if l.Plots == 0 || l.EmptyPlots > 0 {
		t.Errorf("%s: of %d plots %d are empty", when, l.Plots, l.EmptyPlots)
	}
	const readable = 7.5 // pixels of CSS
	if !(l.LeastText >= readable) {
		t.Errorf("%s: text in a plot has %.1f pixels; want %v", when, l.LeastText, readable)
	}
	dark := v.scheme == "dark" && v.media == "screen"
	if back, ink := sum(l.Background), sum(l.Color); (back < ink) != dark || max(back, ink)-min(back, ink) < 400 {
		t.Errorf("%s: text is %v on %v", when, l.Color, l.Background)
	}
}

func sum(x []int) int {
	s := 0
	for _, v := range x {
		s += v
	}
	return s
}

// picture takes a picture of the whole page, if one is wanted.
func (v view) picture() chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		dir := os.Getenv("BLSKERNEL_PICTURES")
		if dir == "" {
			return nil
		}
		var png []byte
		if err := chromedp.FullScreenshot(&png, 100).Do(ctx); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, v.name+".png"), png, 0o666)
	})
}

// print makes a PDF of the page, and writes it where pictures are wanted.
func (v view) print(t *testing.T, ctx context.Context) {
	t.Helper()
	var pdf []byte
	err := chromedp.Run(ctx, chromedp.ActionFunc(func(ctx context.Context) (err error) {
		pdf, _, err = page.PrintToPDF().WithPaperWidth(8.27).WithPaperHeight(11.69).Do(ctx)
		return err
	}))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(string(pdf), "%PDF") {
		t.Error("what is printed is no PDF")
	}
	if dir := os.Getenv("BLSKERNEL_PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, "print.pdf"), pdf, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
