/*
 * Uses the library from C, without Python: on this machine, and for aarch64 in emulation.
 *
 *     cc -I../native -o border border.c -ldl && ./border ../blskernel/libblskernel.so
 */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blskernel.h"

static char text[4096];

static void check(int32_t code, const char *what) {
	if (code != BLS_OK) {
		fprintf(stderr, "%s: code %d: %s\n", what, (int)code, text);
		exit(1);
	}
}

static void *find(void *library, const char *name) {
	void *f = dlsym(library, name);
	if (f == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return f;
}

typedef int32_t open_t(const char *, const char *, bls_handle *, char *, int64_t);
typedef int32_t start_t(bls_handle, const char *, const char *, const bls_matrix *, int64_t, bls_handle *, char *, int64_t);
typedef int32_t wait_t(bls_handle, int64_t, char *, int64_t);
typedef int32_t free_t(bls_handle);
typedef int32_t info_t(char *, int64_t);

int main(int argc, char **argv) {
	enum { L = 400, D = 3 };
	static double x[L * D], y[L], w[D], labels[L];
	void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
	if (library == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	open_t *bls_open_ = (open_t *)find(library, "bls_open");
	start_t *bls_start_ = (start_t *)find(library, "bls_start");
	wait_t *bls_wait_ = (wait_t *)find(library, "bls_wait");
	free_t *bls_free_ = (free_t *)find(library, "bls_free");
	info_t *bls_info_ = (info_t *)find(library, "bls_info");
	check(bls_info_(text, sizeof text), "info");
	puts(text);
	srand(1);
	for (int i = 0; i < L * D; i++)
		x[i] = rand() / (double)RAND_MAX - 0.5;
	for (int i = 0; i < L; i++) {
		y[i] = x[i * D] + 2 * x[i * D + 1] + 3 * x[i * D + 2];
		labels[i] = x[i * D] * x[i * D + 1] > 0;
	}
	bls_matrix a[3] = {{x, L, D, D}, {y, L, 1, 1}, {NULL, 0, 0, 0}}, out = {w, D, 1, 1};
	bls_handle object, job;

	check(bls_open_("ridge", "", &object, text, sizeof text), "open a ridge");
	check(bls_start_(object, "add_rows", "", a, 2, &job, text, sizeof text), "start add_rows");
	check(bls_wait_(job, -1, text, sizeof text), "add_rows");
	check(bls_free_(job), "free a job");
	check(bls_start_(object, "weights", "", &out, 1, &job, text, sizeof text), "start weights");
	check(bls_wait_(job, -1, text, sizeof text), "weights");
	check(bls_free_(job), "free a job");
	check(bls_free_(object), "free a ridge");
	for (int j = 0; j < D; j++) {
		if (!(fabs(w[j] - (j + 1)) <= 1e-12)) {
			fprintf(stderr, "weight %d is %.17g\n", j, w[j]);
			return 1;
		}
	}

	a[1].data = labels;
	check(bls_open_("classifier", "{\"Features\": {\"EnhancementNodes\": 100}}", &object, text, sizeof text), "open a classifier");
	check(bls_start_(object, "fit", "", a, 3, &job, text, sizeof text), "start fit");
	check(bls_wait_(job, -1, text, sizeof text), "fit");
	a[1].data = y;
	check(bls_start_(object, "predict", "", a, 2, &job, text, sizeof text), "start predict");
	check(bls_wait_(job, -1, text, sizeof text), "predict");
	int right = 0;
	for (int i = 0; i < L; i++)
		right += y[i] == labels[i];
	printf("%d of %d are right\n", right, L);
	return right >= 9 * L / 10 ? 0 : 1;
}
