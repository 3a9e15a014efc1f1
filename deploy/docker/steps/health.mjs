// Ends with 0 where the service in this container is ready. Whoever asks sets a time limit: HEALTHCHECK has one.
const answer = await fetch(`http://127.0.0.1:${process.env.INTERNAL_PORT}/readyz`);
process.exit(answer.ok ? 0 : 1);
