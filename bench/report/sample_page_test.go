package report

import (
	"context"
	"os"
	"testing"

	"blskernel/internal/testutil"
)

// TestSamplePage writes the page of the sample into the folder $BLSKERNEL_SAMPLE_PAGE, for those who
// want to look at it, such as the module browser.
func TestSamplePage(t *testing.T) {
	dir := os.Getenv("BLSKERNEL_SAMPLE_PAGE")
	if dir == "" {
		t.Skip("BLSKERNEL_SAMPLE_PAGE is not set")
	}
	page, err := New(sampleFiles(t))
	testutil.NoError(t, err)
	if _, err := page.WriteFolder(context.Background(), nil, dir); err != nil {
		t.Fatal(err)
	}
}
