#ifndef ENGINE_HOST_SERVE_H
#define ENGINE_HOST_SERVE_H

/*
 * Serves the line protocol until standard input ends. A child does its jobs one at a time: a job that is sent earlier is
 * lost. Each line is one message:
 *
 *   in    spawn ID DIR    fork a child for the job directory DIR
 *         run ID FROM TO FILTER UPDATE COMMENTS TABLES OPTIONS   convert the file FROM of DIR into TO; FILTER writes the format
 *                         of TO's suffix, its name with + for each space; UPDATE is none, toc or all; COMMENTS is hide or
 *                         margin; OPTIONS are the filter's, without a space, or -
 *         form ID FROM    load the file FROM of DIR as a form; forms are numbered from 0
 *         fill ID FORM TEXTS TO FILTER OPTIONS   put the texts of the file TEXTS into that form, and write it into TO
 *         yield ID        run it only while a processor is idle, until it ends
 *         kill ID         kill it and its process group
 *   out   ready VERSION LOADER SANDBOX WALLS   once; LOADER as in office_loader, the others as in sandbox_describe
 *         spare ID PID    the child waits for its job, confined and warm
 *         done ID OUTCOME PAGES LOAD_MS UPDATE_MS EXPORT_MS [TEXT]   OUTCOME is ok, unreadable or failed (office.h); PAGES are
 *                         the document's; TEXT is JSON of the replaced fonts, or the reason, with each % and each byte
 *                         that is not printable ASCII as %XX; the child waits for its next job, or to be killed
 *         dying ID        the child was killed; it ends once it gets the processor, which may take long if it has yielded
 *         gone ID exit|signal NUMBER used|unused   always the last message about a child; unused: it never got a job
 */
_Noreturn void serve(const char *sandbox);

#endif
