import { fillCommand } from './fill-command.ts';
import { signCommand } from './sign-command.ts';
import { verifyCommand } from './verify-command.ts';

/** The first steps as plain text, for a terminal. */
export function quickStart(baseUrl: string): string {
  return `Scriptorium: fills templates, converts, signs and verifies documents, and keeps none.

1. Ask for a code, which comes by e-mail:
   curl '${baseUrl}/v1/auth/register?email=you@example.com'

2. Change the code into an API key (shown once, keep it):
   curl '${baseUrl}/v1/auth/verify?email=you@example.com&code=123456'

3. Convert a document:
   curl -O ${baseUrl}/sample.docx
   curl -H 'Authorization: Bearer <API_KEY>' -F file=@sample.docx \\
     -o sample.pdf '${baseUrl}/v1/convert?from=docx'

4. Fill a template:
${fillCommand(baseUrl, '<API_KEY>').replace(/^/gm, '   ')}

5. Sign the PDF of a document:
${signCommand(baseUrl, '<API_KEY>').replace(/^/gm, '   ')}

6. Verify it:
${verifyCommand(baseUrl, '<API_KEY>').replace(/^/gm, '   ')}

Reference: ${baseUrl}/docs    OpenAPI: ${baseUrl}/openapi.json
`;
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);

/** The same for a browser. `baseUrl` may come from the request's Host header, so it is escaped. */
export function landingPage(baseUrl: string, version: string): string {
  const url = escapeHtml(baseUrl);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Scriptorium</title>
<link rel="stylesheet" href="/assets/pages/landing.css">
<link rel="icon" href="data:,">
</head>
<body>
<header>
<p class="mark">Scriptorium <span>${escapeHtml(version)}</span></p>
<h1>Documents in, documents out. Nothing kept.</h1>
<p class="lead">An open document service behind a plain REST contract. It fills DOCX templates, converts DOCX, ODT, RTF,
HTML and Markdown to PDF and to each other, in a sandbox, signs PDF and DOCX and verifies what others signed, at volume, and forgets every document with its answer.</p>
<nav><a class="button" href="/docs">Reference</a> <a href="/openapi.json">OpenAPI document</a> <a href="/v1/health">Health</a></nav>
</header>
<main>
<h2>A PDF in three calls, everything else in one more each</h2>
<ol>
<li><h3>Ask for a code</h3><p>It comes by e-mail and works once, within 15 minutes.</p>
<pre><code>curl '${url}/v1/auth/register?email=you@example.com'</code></pre></li>
<li><h3>Change it into an API key</h3><p>The key is shown this once: keep it.</p>
<pre><code>curl '${url}/v1/auth/verify?email=you@example.com&amp;code=123456'</code></pre></li>
<li><h3>Convert</h3><p>Your own document, or <a href="/sample.docx">this sample</a>.</p>
<pre><code>curl -H 'Authorization: Bearer &lt;API_KEY&gt;' -F file=@sample.docx \\
  -o sample.pdf '${url}/v1/convert?from=docx'</code></pre></li>
<li><h3>Fill a template</h3><p>One of yours, or <a href="/sample-template.docx">this order confirmation</a>: texts, tables,
images and signatures go where its content controls and placeholders are.</p>
<pre><code>${escapeHtml(fillCommand(baseUrl, '<API_KEY>'))}</code></pre></li>
<li><h3>Sign</h3><p>A PDF or a DOCX, with what led to the signature sealed in it. <a href="/v1/verify/key">The service’s own key</a>
signs, or one of yours.</p>
<pre><code>${escapeHtml(signCommand(baseUrl, '<API_KEY>'))}</code></pre></li>
<li><h3>Verify</h3><p>Any signed PDF or DOCX: who signed, whether it is still what was signed, and why, check by check.</p>
<pre><code>${escapeHtml(verifyCommand(baseUrl, '<API_KEY>'))}</code></pre></li>
</ol>
</main>
</body>
</html>
`;
}
