import { render } from 'preact';
import { App } from './app.tsx';
import './styles/base.css';
import './styles/parts.css';
import './styles/blocks.css';
import './styles/tabs.css';
import './styles/reports.css';
import './styles/usage.css';
import { showTheme } from './theme.ts';

showTheme();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
