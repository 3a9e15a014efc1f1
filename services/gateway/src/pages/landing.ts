import { fillCommand } from './fill-command.ts';
import { signCommand } from './sign-command.ts';
import { verifyCommand } from './verify-command.ts';

/** Returns the first steps as plain text, for terminals. */
export function quickStart(baseUrl: string): string {
  return `Scriptorium generates documents from templates and data, and converts, signs and verifies documents. It does not store documents.

1. Request a code by e-mail:
   curl '${baseUrl}/v1/auth/register?email=you@example.com'

2. Redeem the code for an API key. It is shown only once, so store it:
   curl -H 'Accept: text/plain' '${baseUrl}/v1/auth/verify?email=you@example.com&code=123456'

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

/** A file that is dropped here is converted on the page `/try`. */
const DROP_ZONE = `<label class="drop"><input type="file"><strong>Drop a document here</strong>
<span>or click to choose one: you get a PDF at once, without an account</span></label>`;

/**
 * Returns the first steps as HTML. `baseUrl` may come from the Host header of the request, so it is escaped. Links are relative, so
 * that the page works below a path of a proxy.
 */
export function landingPage(baseUrl: string, version: string, hasPlayground: boolean): string {
  const url = escapeHtml(baseUrl);
  const [dropZone, tryLink] = hasPlayground
    ? [DROP_ZONE, '<a class="button" href="try">Try it</a> <a href="docs">Reference</a>']
    : ['', '<a class="button" href="docs">Reference</a>'];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Scriptorium</title>
<link rel="stylesheet" href="assets/pages/landing.css">
<link rel="icon" href="favicon.ico">
</head>
<body>
<header>
<p class="mark">Scriptorium <span>${escapeHtml(version)}</span></p>
<h1>Documents in, documents out. Nothing stored.</h1>
<p class="lead">An open document service with a REST API. It fills DOCX templates with fields or data, and converts DOCX, ODT, RTF, HTML and
Markdown to PDF and to each other in a sandbox, and spreadsheets and presentations to PDF. It merges DOCX and PDF documents, signs both, and verifies the signatures of any PDF or DOCX. It does not store documents.</p>
${dropZone}
<nav>${tryLink} <a href="openapi.json">OpenAPI document</a> <a href="v1/health">Health</a></nav>
</header>
<main>
<h2>First steps</h2>
<ol>
<li><h3>Request a code</h3><p>It is sent by e-mail and can be used once, within 15 minutes.</p>
<pre><code>curl '${url}/v1/auth/register?email=you@example.com'</code></pre></li>
<li><h3>Redeem it for an API key</h3><p>The key is shown only once, so store it.</p>
<pre><code>curl -H 'Accept: text/plain' '${url}/v1/auth/verify?email=you@example.com&amp;code=123456'</code></pre></li>
<li><h3>Convert a document</h3><p>Use your own document or <a href="sample.docx">this sample</a>.</p>
<pre><code>curl -H 'Authorization: Bearer &lt;API_KEY&gt;' -F file=@sample.docx \\
  -o sample.pdf '${url}/v1/convert?from=docx'</code></pre></li>
<li><h3>Fill a template</h3><p>Use your own template or <a href="sample-template.docx">this order confirmation</a>. Texts,
tables, images and signatures replace its content controls and placeholders.</p>
<pre><code>${escapeHtml(fillCommand(baseUrl, '<API_KEY>'))}</code></pre></li>
<li><h3>Sign a document</h3><p>The signature of a PDF or DOCX also seals the audit trail. Sign with
<a href="v1/verify/key">the key of the service</a> or with your own key.</p>
<pre><code>${escapeHtml(signCommand(baseUrl, '<API_KEY>'))}</code></pre></li>
<li><h3>Verify signatures</h3><p>The report of a PDF or DOCX lists the signers, later changes and the result of each check.</p>
<pre><code>${escapeHtml(verifyCommand(baseUrl, '<API_KEY>'))}</code></pre></li>
</ol>
</main>
<script src="assets/pages/landing.js"></script>
</body>
</html>
`;
}
