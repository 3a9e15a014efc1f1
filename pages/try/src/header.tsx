import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { key } from './key.ts';
import { settings } from './service.ts';
import { tab } from './tabs/current.ts';
import { nextTheme, theme } from './theme.ts';

const THEME_NAMES = { auto: 'Theme of the system', light: 'Light theme', dark: 'Dark theme' };
const THEME_SIGNS = { auto: '◐', light: '○', dark: '●' };
const MINUTE_MS = 60_000;

export function Header() {
  return (
    <header>
      <a class="mark" href="../">
        <span aria-hidden="true">❧</span> Scriptorium
      </a>
      <span class="version">{settings.value?.version ?? ''}</span>
      <span class="spring" />
      <KeyChip />
      <button
        type="button"
        class="icon"
        onClick={nextTheme}
        aria-label={THEME_NAMES[theme.value]}
        title={THEME_NAMES[theme.value]}
      >
        <span aria-hidden="true">{THEME_SIGNS[theme.value]}</span>
      </button>
    </header>
  );
}

/** Which key the page uses, and what is left of a trial. */
function KeyChip() {
  const now = useSignal(Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now();
    }, MINUTE_MS / 4);
    return () => clearInterval(timer);
  }, []);
  return (
    <button
      type="button"
      class="chip"
      onClick={() => {
        tab.value = 'usage';
      }}
    >
      {wordsOf(Math.max(now.value, Date.now()))}
    </button>
  );
}

function wordsOf(now: number): string {
  const { value } = key;
  if (value === null) return settings.value?.trial ? 'Trial, no sign-up' : 'No key yet';
  if (value.trial === undefined) return `Key …${value.text.slice(-4)}`;
  const minutes = Math.max(0, Math.ceil((value.trial.expiresAt - now) / MINUTE_MS));
  return `Trial: ${value.trial.left} left, ${minutes} min`;
}
