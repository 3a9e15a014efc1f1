/** What Swagger UI lacks for screen readers: landmarks, a level of headings, and no link within a button. */
const Mended = ({ React: { createElement, Fragment } }) => {
  const within = (tag, attributes) => (Original) => (props) =>
    createElement(tag, attributes, createElement(Original, props));
  return {
    components: { DeepLink: ({ text }) => createElement('span', null, text) },
    wrapComponents: {
      InfoContainer: within('header', { role: 'banner' }),
      SchemesContainer: within('section', { 'aria-label': 'Authorization' }),
      operations: (Original) => (props) =>
        createElement(
          Fragment,
          null,
          createElement('h2', { className: 'operations-title' }, 'Operations'),
          createElement(Original, props),
        ),
    },
  };
};

window.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  persistAuthorization: false,
  plugins: [Mended],
});

/** Choices also lack a name: that of their parameter. */
const nameChoices = () => {
  for (const select of document.querySelectorAll('#swagger-ui select:not([aria-label])')) {
    const parameter = select.closest('[data-param-name]')?.dataset.paramName;
    const isExample = select.className.includes('examples');
    select.setAttribute(
      'aria-label',
      [isExample && 'Example', parameter].filter(Boolean).join(' of ') || 'Choice',
    );
  }
};
const watched = { childList: true, subtree: true };
new MutationObserver(nameChoices).observe(document.querySelector('#swagger-ui'), watched);

// Swagger UI has a dark theme, but does not ask the system for it.
const dark = window.matchMedia('(prefers-color-scheme: dark)');
const showTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', showTheme);
showTheme();
