import { useSignal } from '@preact/signals';
import { type Code, LANGUAGES, type LanguageId } from '../code/code.ts';
import { download } from '../documents.ts';

const COPIED_MS = 2_000;

/** The form of a tab as code: the same call, with the same values. */
export function SameInCode({ code }: { code: Code }) {
  const language = useSignal<LanguageId>('curl');
  const text = code[language.value];
  return (
    <section class="code" aria-label="The same in code">
      <h2>The same in code</h2>
      <div class="code-bar">
        <fieldset class="segments">
          <legend class="unseen">Language</legend>
          {LANGUAGES.map(({ id, name }) => (
            <label key={id}>
              <input
                type="radio"
                name="language"
                value={id}
                checked={language.value === id}
                onChange={() => {
                  language.value = id;
                }}
              />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        <CopyButton text={text} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard. */}
      <pre tabIndex={0} data-language={language.value}>
        <code>{text}</code>
      </pre>
      <p class="note">
        <code>$KEY</code> is your API key.
        {code.files.map(({ name, text: content }) => (
          <span key={name}>
            {' '}
            The code reads <code>{name}</code>:{' '}
            <button type="button" class="link" onClick={() => download(name, new Blob([content()]))}>
              save {name}
            </button>
            .
          </span>
        ))}
      </p>
    </section>
  );
}

export function CopyButton({ text, words = 'Copy' }: { text: string; words?: string }) {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    await copyText(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, COPIED_MS);
  };
  return (
    <button type="button" class="copy" onClick={copy}>
      <span aria-live="polite">{isCopied.value ? 'Copied' : words}</span>
    </button>
  );
}

/** Without TLS, browsers offer no clipboard to pages: then an old way does it. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = Object.assign(document.createElement('textarea'), { value: text, className: 'unseen' });
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
