const HANDED_OVER = 'scriptorium-handed-over';
const COPIED_MS = 2_000;

/** Keeps a file for the page `/try`, which takes it and removes it, and goes there. */
function handOver(file) {
  const leave = () => window.location.assign('try/#convert');
  const opening = indexedDB.open(HANDED_OVER);
  opening.onupgradeneeded = () => opening.result.createObjectStore('files');
  opening.onerror = leave;
  opening.onsuccess = () => {
    const writing = opening.result.transaction('files', 'readwrite');
    writing.objectStore('files').put(file, 'file');
    for (const end of ['complete', 'error', 'abort'])
      writing.addEventListener(end, () => {
        opening.result.close();
        leave();
      });
  };
}

const drop = document.querySelector('.drop');
const input = document.querySelector('.drop input');
input?.addEventListener('change', () => {
  if (input.files[0] !== undefined) handOver(input.files[0]);
});
for (const name of ['dragover', 'dragleave', 'drop'])
  drop?.addEventListener(name, (event) => {
    event.preventDefault();
    drop.classList.toggle('over', name === 'dragover');
    const [file] = event.dataTransfer?.files ?? [];
    if (name === 'drop' && file !== undefined) handOver(file);
  });

for (const block of document.querySelectorAll('pre')) {
  const button = Object.assign(document.createElement('button'), {
    type: 'button',
    className: 'copy',
    textContent: 'Copy',
  });
  button.setAttribute('aria-live', 'polite');
  button.addEventListener('click', async () => {
    const text = block.querySelector('code').textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = 'Copied';
    } catch {
      // Without TLS, browsers offer no clipboard to pages.
      window.getSelection().selectAllChildren(block.querySelector('code'));
      button.textContent = 'Selected: press Ctrl-C';
    }
    setTimeout(() => {
      button.textContent = 'Copy';
    }, COPIED_MS);
  });
  block.before(button);
}
