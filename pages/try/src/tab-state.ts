import { signal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { takeHandedOver } from './documents.ts';
import { loadSettings } from './service.ts';
import { BatchTab } from './tabs/batch.tsx';
import { ConvertTab } from './tabs/convert.tsx';
import { convertFile } from './tabs/convert-state.ts';
import { type TabId, tab } from './tabs/current.ts';
import { FillTab } from './tabs/fill.tsx';
import { MergeTab } from './tabs/merge.tsx';
import { SignTab } from './tabs/sign.tsx';
import { UsageTab } from './tabs/usage.tsx';
import { VerifyTab } from './tabs/verify.tsx';

export { tab } from './tabs/current.ts';

/** In the order of the tab bar. To add a tab, add one entry here. */
export const TABS: readonly { id: TabId; name: string; View: ComponentType }[] = [
  { id: 'convert', name: 'Convert', View: ConvertTab },
  { id: 'fill', name: 'Fill', View: FillTab },
  { id: 'merge', name: 'Merge', View: MergeTab },
  { id: 'sign', name: 'Sign', View: SignTab },
  { id: 'verify', name: 'Verify', View: VerifyTab },
  { id: 'batch', name: 'Batch', View: BatchTab },
  { id: 'usage', name: 'Usage & keys', View: UsageTab },
];

/** Why the page knows nothing of its service. */
export const loadFailure = signal<unknown>(null);

/** Reads what the service is, and takes over a file of the start page. */
export async function start(): Promise<void> {
  try {
    await loadSettings();
    loadFailure.value = null;
  } catch (error) {
    loadFailure.value = error;
    return;
  }
  const file = await takeHandedOver();
  if (file !== null) {
    tab.value = 'convert';
    convertFile(file);
  }
}
