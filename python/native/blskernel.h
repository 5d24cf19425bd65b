/*
 * The C interface of blskernel: broad learning systems and dense linear algebra on the pure backend.
 *
 * Programs create objects, and call their methods by name. A method runs in the background: bls_start
 * starts it, bls_wait waits for it, bls_result fetches the text or bytes that it has produced, and
 * bls_free frees it. All functions may be called from any thread at any time.
 *
 * Codes and messages. Each function returns a code. Functions with text and capacity write a message to
 * text: what was wrong and what to do, as NUL-terminated UTF-8, truncated to the capacity.
 *
 * NULL. These pointers may be NULL: text; options; arrays if count is 0; bytes of bls_decode if n is 0;
 * bytes of bls_result, which then only sets n. Any other NULL, a negative count, or a negative n of
 * bls_decode gives BLS_VALUE, and the function does nothing.
 *
 * Memory. The library keeps no memory of the caller. Arrays belong to a method from bls_start until
 * bls_wait returns a code other than BLS_RUNNING, or bls_free returns: do not change or free them earlier.
 * The library uses them in place. Results must not overlap other arrays; after an error their contents are
 * undefined. If an array maps a file that another process truncates, SIGBUS ends the program: do not map
 * such a file. A method that needs more memory than is available fails with BLS_MEMORY before it begins.
 *
 * Threads. The methods predict, predict_interval, decision_function, predict_proba, importance, solve
 * and inverse of one object run in parallel, and so do matmul, describe and inputs. Every other method
 * of an object runs alone. It waits for its turn, in no particular order, and bls_cancel does not end the wait.
 *
 * Cancelling. After bls_cancel a method stops at its next check and leaves its object unchanged. Parts
 * without a check run to their end: the solution for the weights, remove_rows, merge, add_nodes, refine,
 * leverage, and all of "cholesky", "ldlt", "lu" and "matmul". A method that ends before its next check returns BLS_OK.
 *
 * Processes. The library starts threads, and fork copies only the thread that calls it. So in a child of
 * a process that has loaded the library, every function returns BLS_FORKED. A child that loads the library
 * itself may use it: fork before the first use, or start new processes (spawn, forkserver).
 *
 * Signals. The Go runtime handles SIGSEGV, SIGBUS and SIGFPE if Go code raises them, and SIGURG, which it
 * sends to its own threads; an earlier handler gets the signals of other code. It adds SA_ONSTACK to the
 * flags of all other earlier handlers, and otherwise leaves them alone: SIGINT, SIGTERM,
 * SIGCHLD, SIGPROF, SIGALRM and so on reach the program as before. A handler that is installed later
 * should have SA_ONSTACK, since a signal may arrive on a Go thread, whose stack is small.
 *
 * Exit. The library cannot be unloaded. A program may exit while methods run.
 */
#ifndef BLSKERNEL_H
#define BLSKERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BLS_API __attribute__((visibility("default")))
#else
#define BLS_API
#endif

enum {
	BLS_OK = 0,
	BLS_RUNNING = 1,     /* the method is still running */
	BLS_CANCELLED = 2,   /* the method was canceled, and the object is unchanged */
	BLS_VALUE = 3,       /* data or options are wrong */
	BLS_NOT_FITTED = 4,  /* the object has not learned anything yet */
	BLS_HANDLE = 5,      /* a handle was freed, is of the wrong kind, or belongs to another process */
	BLS_FORMAT = 6,      /* the bytes are not a model, or were cut off or altered */
	BLS_NUMERIC = 7,     /* singular, not positive definite, ill-conditioned, or an overflow */
	BLS_UNSUPPORTED = 8, /* the update method does not support the action; text names methods that do */
	BLS_MEMORY = 9,      /* there is not enough memory; nothing was done */
	BLS_FORKED = 10,     /* this process was forked from one that had loaded the library */
	BLS_INTERNAL = 11    /* an internal error that the library caught; free the object */
};

/* Element (i, j) is data[i*stride + j]. stride is at least cols, and data has the alignment of a double. */
typedef struct {
	double *data; /* NULL, with rows 0, for an optional array that is omitted */
	int64_t rows, cols, stride;
} bls_matrix;

/* An object, or a method that runs or has ended; positive, and never reused. 0 is the library itself as an object. */
typedef int64_t bls_handle;

/*
 * Creates an object. options is a JSON object with Go field names; NULL or "" stands for {}.
 *
 *   "classifier"  the exported fields of bls.Classifier: Features {Scaling, Groups, GroupNodes,
 *                 EnhancementNodes, Shrink, Unscaled, Enhancement, Direct, Relevance, Steps, Seed}, Method, Update {Lambda, Form,
 *                 Solve, C, Workspace}, Classes, ClassWeight, ExpectedRows, Validate
 *   "regressor"   the same of bls.Regressor, with NoIntercept and LogTargets for Classes and ClassWeight
 *   "ridge"       Method (Gram), and the fields of blsupdate.Options: Lambda, Form, Solve, C, Workspace
 *   "cholesky", "ldlt", "lu"  none
 *
 * For the first two kinds fit chooses the numbers that are 0; -1 for EnhancementNodes, Direct, Relevance,
 * Steps, LogTargets or Lambda stands for 0.
 * A constant is given as the index, from 0, of its name in its list:
 *
 *   Scaling  auto, samples, columns, none, ranks Enhancement  orthonormal, uniform
 *   Method   none, improved, original, ridge_inverse, inverse_cholesky, gram, qr
 *   Form     auto, paper, small, large, compressed
 *   C        auto, zero, check                   ClassWeight  unweighted, balanced
 */
BLS_API int32_t bls_open(const char *kind, const char *options, bls_handle *object, char *text, int64_t capacity);

/*
 * Creates a fitted object from n bytes: the result of encode, or a model file. The bytes of a ridge have no
 * checksum: add one if you store them.
 */
BLS_API int32_t bls_decode(const void *bytes, int64_t n, bls_handle *object, char *text, int64_t capacity);

/*
 * Starts a method of an object in the background. arrays has count elements: the operands, then the results.
 * In the table, l and q are numbers of rows, d of inputs, c of targets or classes, k of nodes (k+1 for a
 * regressor with an intercept). Labels are class numbers from 0 to c-1 as float64. w, the weights of the
 * rows, is q×1 and may be omitted.
 *
 *   method             operands         results   options and what bls_result gives
 *
 *   "classifier" (y are labels, q×1) and "regressor" (y is q×c)
 *   fit, partial_fit   X, y, w
 *   refit, remove      X, y, w
 *   forget, set_lambda                            Factor; Lambda
 *   merge                                         Other: a handle
 *   importance         X, y, w                    Groups of columns, Repeats, Seed -> Score, Mean, Spread
 *   predict            X                y         labels, q×1, or predictions, q×c
 *   condition                                     -> rcond, digits, advice, instead
 *   attributes                                    -> kind, options as given, metadata, the names of the
 *                                                 columns, and once fitted features, targets, samples,
 *                                                 fitted, choice, kept
 *   kept                                          -> kept, the number of rows kept while too few to fit
 *   encode                                        Metadata: fields for the file -> its bytes
 *   calibrate          X, y                       rows that the object has not learned
 *   of a regressor only:
 *   predict_interval   X                P         Coverage -> q×2c: the lower ends, and the upper ends
 *   of a classifier only:
 *   decision_function, predict_proba  X   P       q×c
 *   relabel                                       To: the new number of each class; Classes
 *
 *   "ridge" (A is q×k, Y is q×c)
 *   add_rows, remove_rows  A, Y                   the first rows start the model
 *   rebuild            A, Y                       the rows that replace all others
 *   forget, set_lambda, merge, condition          as above
 *   add_nodes          A, H, Y                    all rows: l×k, l×p, l×c
 *   add_targets, map_targets  T                   c×p
 *   refine             A, Y                       all rows
 *   leverage           A                h         q×1
 *   weights                             W         k×c
 *   attributes                                    -> options, samples, nodes, targets, last
 *   encode                                        -> bytes
 *
 *   "cholesky", "ldlt" (A is n×n, of which the upper triangle is read, or 1×n(n+1)/2, packed) and "lu"
 *   factorize          A                          Packed
 *   solve              B                X         n×m
 *   inverse                             A         1×n(n+1)/2, packed; n×n of lu
 *   attributes                                    -> n, rcond, log_det, sign, inertia (of ldlt)
 *
 *   0, the library
 *   matmul             A, B             C         m×k, k×n, m×n
 *   threads                                       Threads: the maximum, 0 for all CPUs
 *   describe                                      Text: rows with tabs between cells, quoted as in CSV;
 *                                                 Named: the first line names the columns; Words: known
 *                                                 columns of words, by index -> metadata (columns, inputs,
 *                                                 missing), which may be absent; indicated; notes
 *   inputs                              X         Text, Named, Metadata -> the unknown words of each column
 */
BLS_API int32_t bls_start(bls_handle object, const char *method, const char *options, const bls_matrix *arrays,
	int64_t count, bls_handle *job, char *text, int64_t capacity);

/*
 * Waits until a method ends, for at most the given number of milliseconds; a negative number means no
 * limit. Returns BLS_RUNNING, or the code of a method that has ended. With BLS_OK, text is the time that the
 * method took, in nanoseconds.
 */
BLS_API int32_t bls_wait(bls_handle job, int64_t milliseconds, char *text, int64_t capacity);

/* Asks a method to stop. Call bls_wait to wait for its end. */
BLS_API int32_t bls_cancel(bls_handle job);

/* Copies the bytes that an ended method has produced, if *n bytes are enough, and sets *n to their number. */
BLS_API int32_t bls_result(bls_handle job, void *bytes, int64_t *n);

/* Frees an object, while its running methods go on, or cancels a method, waits for its end, and frees it. */
BLS_API int32_t bls_free(bls_handle handle);

/* Writes a JSON object: backend, kernel, threads, handles (the number in use), go. */
BLS_API int32_t bls_info(char *text, int64_t capacity);

#ifdef __cplusplus
}
#endif

#endif
