// The functions of blskernel.h. Each refuses to enter Go in a forked child, where Go's threads are
// missing and a call would wait forever.

#include <pthread.h>
#include <string.h>

#include "_cgo_export.h"

static volatile int forked;

static void in_child(void) { forked = 1; }

__attribute__((constructor)) static void watch(void) { pthread_atfork(NULL, NULL, in_child); }

static int32_t refuse(char *text, int64_t capacity) {
	static const char why[] =
		"this process was forked from one that uses blskernel, and lacks the threads of blskernel: start processes with "
		"spawn or forkserver (multiprocessing.set_start_method, joblib's loky), or fork before the first use";
	if (text != NULL && capacity > 0) {
		size_t n = sizeof why;
		if ((uint64_t)capacity < n)
			n = (size_t)capacity;
		memcpy(text, why, n);
		text[n - 1] = 0;
	}
	return BLS_FORKED;
}

int32_t bls_open(const char *kind, const char *options, bls_handle *object, char *text, int64_t capacity) {
	return forked ? refuse(text, capacity) : goOpen((char *)(kind == NULL ? "" : kind), (char *)options, NULL, 0, object, text, capacity);
}

int32_t bls_decode(const void *bytes, int64_t n, bls_handle *object, char *text, int64_t capacity) {
	return forked ? refuse(text, capacity) : goOpen(NULL, NULL, (void *)bytes, n, object, text, capacity);
}

int32_t bls_start(bls_handle object, const char *method, const char *options, const bls_matrix *arrays,
	int64_t count, bls_handle *job, char *text, int64_t capacity) {
	return forked ? refuse(text, capacity)
		      : goStart(object, (char *)method, (char *)options, (bls_matrix *)arrays, count, job, text, capacity);
}

int32_t bls_wait(bls_handle job, int64_t milliseconds, char *text, int64_t capacity) {
	return forked ? refuse(text, capacity) : goWait(job, milliseconds, text, capacity);
}

int32_t bls_cancel(bls_handle job) { return forked ? BLS_FORKED : goEnd(job, 0); }

int32_t bls_result(bls_handle job, void *bytes, int64_t *n) { return forked ? BLS_FORKED : goResult(job, bytes, n); }

int32_t bls_free(bls_handle handle) { return forked ? BLS_FORKED : goEnd(handle, 1); }

int32_t bls_info(char *text, int64_t capacity) { return forked ? refuse(text, capacity) : goInfo(text, capacity); }
