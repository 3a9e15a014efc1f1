import { TABS, tab } from './tab-state.ts';

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** Tabs as in the ARIA practices: one stop of the Tab key, arrows move between them. */
export function TabBar() {
  const move = (event: KeyboardEvent): void => {
    const at = TABS.findIndex(({ id }) => id === tab.value);
    const last = TABS.length - 1;
    const step = STEPS[event.key];
    const to =
      event.key === 'Home' ? 0 : event.key === 'End' ? last : step && (at + step + TABS.length) % TABS.length;
    const chosen = to === undefined ? undefined : TABS[to];
    if (chosen === undefined) return;
    event.preventDefault();
    tab.value = chosen.id;
    document.getElementById(`tab-${chosen.id}`)?.focus();
  };
  return (
    <nav aria-label="What to do">
      <div class="tabs" role="tablist" onKeyDown={move}>
        {TABS.map(({ id, name }) => (
          <button
            key={id}
            id={`tab-${id}`}
            type="button"
            role="tab"
            aria-selected={tab.value === id}
            aria-controls={`panel-${id}`}
            tabIndex={tab.value === id ? 0 : -1}
            onClick={() => {
              tab.value = id;
            }}
          >
            {name}
          </button>
        ))}
      </div>
    </nav>
  );
}
