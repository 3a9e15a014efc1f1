// Exits with 0 if the service in this container is ready. The caller sets a time limit: HEALTHCHECK has one.
const answer = await fetch(`http://127.0.0.1:${process.env.INTERNAL_PORT}/readyz`);
process.exit(answer.ok ? 0 : 1);
