/** Swagger UI for `openapi.json`. The content security policy requires scripts and styles from this server. */
export function docsPage(hasPlayground: boolean): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Scriptorium: reference</title>
<link rel="stylesheet" href="assets/swagger-ui/swagger-ui.css">
<link rel="stylesheet" href="assets/pages/docs.css">
<link rel="icon" href="favicon.ico">
</head>
<body>
<nav class="bar" aria-label="Pages"><a class="home" href="./">Scriptorium</a>${hasPlayground ? '<a href="try">Try it</a>' : ''}
<a href="openapi.json">OpenAPI document</a></nav>
<div id="swagger-ui"></div>
<noscript>The OpenAPI document: <a href="openapi.json">openapi.json</a></noscript>
<script src="assets/swagger-ui/swagger-ui-bundle.js"></script>
<script src="assets/pages/docs.js"></script>
</body>
</html>
`;
}
