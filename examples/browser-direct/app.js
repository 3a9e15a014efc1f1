import { Scriptorium, ScriptoriumError } from '@scriptorium/client';

const form = document.querySelector('form');
const status = document.querySelector('[role=status]');

/** The key stays in the form: a page must not contain one, nor store it. */
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { url, key, file } = Object.fromEntries(new FormData(form));
  const button = form.querySelector('button');
  button.disabled = true;
  status.textContent = 'Converting…';
  try {
    const client = new Scriptorium({ baseUrl: url.replace(/\/$/, ''), apiKey: key });
    const made = await client.convert(file, { to: 'pdf' });
    offer(new Blob([made.bytes], { type: 'application/pdf' }), made.fileName, made.pages);
  } catch (error) {
    if (!(error instanceof ScriptoriumError)) throw error;
    const fields = error.details.map(({ field, issue }) => `${field} ${issue}`);
    status.textContent = [`${error.code}: ${error.message}`, ...fields, error.requestId]
      .filter(Boolean)
      .join(' · ');
  } finally {
    button.disabled = false;
  }
});

/** Shows a link that saves the document. */
function offer(blob, name, pages) {
  const link = Object.assign(document.createElement('a'), {
    href: URL.createObjectURL(blob),
    download: name,
    textContent: `Save ${name}`,
  });
  status.replaceChildren(link, ` (${pages === 1 ? '1 page' : `${pages} pages`})`);
}
