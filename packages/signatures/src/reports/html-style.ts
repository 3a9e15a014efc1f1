import { createHash } from 'node:crypto';

/** The only style of the page. Colors of tones have a contrast of at least 4.5 to 1 in both schemes. */
export const STYLE = `
:root { color-scheme: light dark; --page: #f4f5f7; --card: #fff; --text: #16191d; --soft: #555d68; --line: #d9dde3;
  --good: #0b6b3a; --good-tint: #e5f4ec; --doubt: #8a5200; --doubt-tint: #fdf1dc; --bad: #b3191f; --bad-tint: #fdeaea;
  --neutral: #3d4653; --neutral-tint: #eceef2; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14171b; --card: #1d2127; --text: #e9ecf0; --soft: #a7b0bc; --line: #363d47;
    --good: #6fd29c; --good-tint: #15301f; --doubt: #f0bd67; --doubt-tint: #35270f; --bad: #ff9c9c; --bad-tint: #3b1a1c;
    --neutral: #c3cad4; --neutral-tint: #2a3038; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1rem; font-weight: 600; color: var(--soft); margin: 0 0 .75rem; }
h2 { font-size: 1.15rem; line-height: 1.3; margin: 2rem 0 .75rem; }
h3 { font-size: 1.05rem; line-height: 1.35; margin: 0; overflow-wrap: anywhere; }
h4 { font-size: .875rem; margin: 1rem 0 .35rem; }
p { margin: .35rem 0; }
ul { margin: .35rem 0; padding-left: 1.2rem; }
li { margin: .25rem 0; }
p, li, dd, td, .headline { overflow-wrap: anywhere; }
.good { --tone: var(--good); --tint: var(--good-tint); }
.doubt { --tone: var(--doubt); --tint: var(--doubt-tint); }
.bad { --tone: var(--bad); --tint: var(--bad-tint); }
.neutral { --tone: var(--neutral); --tint: var(--neutral-tint); }
.verdict { background: var(--tint); border-left: .4rem solid var(--tone); border-radius: .5rem; padding: 1.1rem 1.25rem; }
.headline { color: var(--tone); font-size: 1.5rem; font-weight: 700; line-height: 1.25; margin: 0; }
.answers { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .75rem; margin-top: .75rem; }
.answer, .card { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem 1.1rem; }
.question, .kind, .small, dt { color: var(--soft); font-size: .875rem; }
.answer strong { color: var(--tone); display: block; font-size: 1.15rem; line-height: 1.3; }
.answer p:last-child { font-size: .875rem; }
.card + .card { margin-top: .75rem; }
.card > header { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; justify-content: space-between; }
.card > header > div { min-width: 0; flex: 1 1 15rem; }
.badge { background: var(--tint); color: var(--tone); border-radius: 1rem; padding: .1rem .7rem; font-size: .875rem; font-weight: 600; }
.brief { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; list-style: none; margin: .75rem 0; padding: .6rem 0;
  border-top: 1px solid var(--line); border-bottom: 1px solid var(--line); font-size: .9rem; }
.brief li { margin: 0; }
.brief strong { color: var(--tone); }
dl { display: grid; grid-template-columns: minmax(7rem, 11rem) minmax(0, 1fr); gap: .35rem 1rem; margin: 0; font-size: .95rem; }
dd { margin: 0; }
code, .code { font: .85em/1.5 ui-monospace, monospace; }
.claim { border: 1px solid var(--line); border-radius: .25rem; color: var(--soft); font-size: .75rem; font-weight: 400;
  padding: 0 .35rem; white-space: nowrap; }
.findings { list-style: none; padding: 0; }
.findings li { border-left: .25rem solid var(--tone); padding-left: .7rem; }
.pages { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: .75rem; }
.pages .card { margin: 0; }
.pages img { display: block; width: 100%; height: auto; background: #fff; border: 1px solid var(--line); }
figcaption { color: var(--soft); font-size: .875rem; margin-top: .5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { border-top: 1px solid var(--line); padding: .35rem .6rem .35rem 0; text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.time { min-width: 8.5rem; }
@media (max-width: 32rem) {
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: .5rem; }
  .headline { font-size: 1.3rem; }
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { border-top: 1px solid var(--line); padding: .4rem 0; }
  td { border: 0; padding: 0; }
}
@media print {
  :root { color-scheme: light; --page: #fff; --card: #fff; --text: #000; --soft: #444; --line: #bbb;
    --good: #0b6b3a; --good-tint: #fff; --doubt: #8a5200; --doubt-tint: #fff; --bad: #b3191f; --bad-tint: #fff;
    --neutral: #333; --neutral-tint: #fff; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  .answer, .verdict, .badge { border: 1px solid var(--line); }
  .verdict { border-left: .4rem solid var(--tone); }
  .answers { grid-template-columns: repeat(3, minmax(0, 1fr)); }
  .answer, .card > header, tr, li { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; }
}
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Nothing may be loaded, run or sent: the page has its own style and pictures, and no script. */
export const HTML_POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; img-src data:; base-uri 'none'; form-action 'none'`;
