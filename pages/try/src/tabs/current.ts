import { effect, signal } from '@preact/signals';

const IDS = ['convert', 'fill', 'merge', 'sign', 'verify', 'batch', 'usage'] as const;
export type TabId = (typeof IDS)[number];

const ofAddress = (): TabId => IDS.find((id) => `#${id}` === window.location.hash) ?? 'convert';

/** The tab that shows, which is also in the address. */
export const tab = signal<TabId>(ofAddress());

effect(() => {
  const { value } = tab;
  if (ofAddress() !== value) window.history.pushState(null, '', `#${value}`);
});
for (const event of ['popstate', 'hashchange'])
  window.addEventListener(event, () => {
    tab.value = ofAddress();
  });
