import { CopyButton } from '../parts/code-block.tsx';
import { Toggle, Words } from '../parts/controls.tsx';
import { ProblemCard } from '../parts/problem-card.tsx';
import { settings } from '../service.ts';
import {
  acceptKey,
  askForCode,
  email,
  emailCode,
  isBusy,
  keep,
  problem,
  sendCode,
  step,
} from './usage-state.ts';

/** Gets a key by e-mail, or takes one that the visitor has. */
export function KeyForm() {
  const { value } = step;
  return (
    <section class="card" aria-label="Get a key">
      {value.at === 'address' && (
        <>
          {settings.value?.registration !== false && <AddressForm />}
          <OwnKeyForm />
        </>
      )}
      {value.at === 'code' && <CodeForm />}
      {value.at === 'key' && <NewKey text={value.text} />}
      <ProblemCard problem={problem.value} />
    </section>
  );
}

function AddressForm() {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void askForCode();
      }}
    >
      <h2>Get your own key</h2>
      <Words
        label="E-mail address"
        type="email"
        autoComplete="email"
        value={email.value}
        onInput={(text) => {
          email.value = text;
        }}
      />
      <button type="submit" class="primary" disabled={isBusy.value || !email.value.includes('@')}>
        Send me a code
      </button>
    </form>
  );
}

function OwnKeyForm() {
  return (
    <form
      class="own-key"
      onSubmit={(event) => {
        event.preventDefault();
        const text = new FormData(event.currentTarget).get('key');
        if (typeof text === 'string' && text.trim() !== '') void acceptKey(text);
      }}
    >
      <h2>Or enter a key that you have</h2>
      <label class="unseen" for="own-key">
        API key
      </label>
      <div class="row">
        <input id="own-key" name="key" type="password" autoComplete="off" placeholder="scr_…" />
        <button type="submit" disabled={isBusy.value}>
          Use it
        </button>
      </div>
      <KeepToggle />
    </form>
  );
}

const KeepToggle = () => (
  <Toggle
    label="Keep it for this tab, until it is closed"
    checked={keep.value}
    onChange={(checked) => {
      keep.value = checked;
    }}
  />
);

function CodeForm() {
  const { mailboxUrl } = settings.value ?? {};
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void sendCode();
      }}
    >
      <h2>Enter the code of the mail</h2>
      <p>
        We sent six digits to <bdi>{email.value}</bdi>. They work once, within 15 minutes.
        {mailboxUrl && (
          <>
            {' '}
            On this machine,{' '}
            <a href={mailboxUrl} target="_blank" rel="noreferrer">
              the mail is here
            </a>
            .
          </>
        )}
      </p>
      <Words
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        value={emailCode.value}
        onInput={(text) => {
          emailCode.value = text;
        }}
      />
      <div class="row">
        <button
          type="submit"
          class="primary"
          disabled={isBusy.value || !/^\s*\d{6}\s*$/.test(emailCode.value)}
        >
          Get the key
        </button>
        <button
          type="button"
          class="link"
          onClick={() => {
            step.value = { at: 'address' };
          }}
        >
          Another address
        </button>
      </div>
    </form>
  );
}

function NewKey({ text }: { text: string }) {
  return (
    <>
      <h2>Your key. It shows only now</h2>
      <p class="secret">
        <code>{text}</code>
      </p>
      <KeepToggle />
      <div class="row">
        <CopyButton text={text} words="Copy the key" />
        <button type="button" class="primary" onClick={() => void acceptKey(text)}>
          I have kept it
        </button>
      </div>
    </>
  );
}
