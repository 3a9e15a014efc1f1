#ifndef ENGINE_HOST_SERVE_H
#define ENGINE_HOST_SERVE_H

/*
 * Serves the line protocol until standard input ends. One line a message:
 *
 *   in    spawn ID DIR    fork a child for the job directory DIR
 *         run ID          let it convert DIR/input.docx into DIR/output.pdf
 *         kill ID         kill it and its process group
 *   out   ready VERSION   once
 *         spare ID PID    the child waits for its job, confined and warm
 *         done ID OUTCOME [REASON]   OUTCOME is ok, unreadable or failed; the child stays until it is killed
 *         gone ID exit|signal NUMBER used|unused   always the last word about a child; unused: it never had its job
 */
_Noreturn void serve(void);

#endif
