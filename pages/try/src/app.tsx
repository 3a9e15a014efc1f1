import { useEffect } from 'preact/hooks';
import { Header } from './header.tsx';
import { ProblemCard } from './parts/problem-card.tsx';
import { problemOf } from './problem.ts';
import { isOnline, limits, settings } from './service.ts';
import { TabBar } from './tab-bar.tsx';
import { loadFailure, start, TABS, tab } from './tab-state.ts';

export function App() {
  useEffect(() => void start(), []);
  const failure = loadFailure.value;
  // What is done before the limits are known could not be checked.
  const isReady = settings.value !== null && limits.value !== null;
  return (
    <>
      <Header />
      {!isOnline.value && (
        <p class="offline" role="status">
          You are offline. Documents wait here until the network is back.
        </p>
      )}
      <TabBar />
      <main>
        {failure !== null && <ProblemCard problem={problemOf(failure)} onRetry={() => void start()} />}
        {TABS.map(({ id, name, View }) => (
          <section key={id} id={`panel-${id}`} role="tabpanel" aria-label={name} hidden={tab.value !== id}>
            {tab.value === id && isReady && <View />}
          </section>
        ))}
      </main>
      <footer>
        <p>
          Nothing is stored: documents are in memory while they are worked on. <a href="../">Start page</a> ·{' '}
          <a href="../docs">Reference</a>
        </p>
      </footer>
    </>
  );
}
