#ifndef ENGINE_HOST_SERVE_H
#define ENGINE_HOST_SERVE_H

/*
 * Serves the line protocol until standard input ends. Each line is one message:
 *
 *   in    spawn ID DIR    fork a child for the job directory DIR
 *         run ID FROM TO FILTER UPDATE COMMENTS OPTIONS   convert DIR/input.FROM into DIR/output.TO, each a suffix;
 *                         FILTER writes TO, its name with + for each space; UPDATE is none, toc or all; COMMENTS is hide
 *                         or margin; OPTIONS are the filter's, without a space, or -
 *         kill ID         kill it and its process group
 *   out   ready VERSION LOADER SANDBOX WALLS   once; LOADER as in office_loader, the others as in sandbox_describe
 *         spare ID PID    the child waits for its job, confined and warm
 *         done ID OUTCOME PAGES LOAD_MS UPDATE_MS EXPORT_MS [TEXT]   OUTCOME is ok, unreadable or failed; PAGES are
 *                         the document's; TEXT is JSON of the replaced fonts, or the reason, with each % and each byte
 *                         that is not printable ASCII as %XX; the child stays until it is killed
 *         gone ID exit|signal NUMBER used|unused   always the last message about a child; unused: it never got a job
 */
_Noreturn void serve(const char *sandbox);

#endif
