// The explorer: a first screen asks for the apiKey and checks it, then Swagger UI shows
// openapi.json. Swagger UI is not even loaded before the check, so nothing can be sent, whichever link was opened.

/**
 * @typedef {{ code?: string, message?: string, errors?: { allowed?: unknown[] }[] }} ErrorBody
 * @typedef {{ value: unknown, summary?: string }} Example
 * @typedef {{ name: string, in: string, required: boolean, example?: unknown, examples?: Record<string, Example> }} Parameter
 * @typedef {{ parameters?: Parameter[], requestBody?: { content: Record<string, { examples?: Record<string, Example> }> } }} Operation
 * @typedef {{ info: { license?: object }, servers: object[], paths: Record<string, Record<string, Operation>>, 'x-stand-ins': Record<string, string> }} ApiDocument
 * @typedef {{ option_key_uid: string, option_group_uid: string, option_group_name: string, name: string, default_value: unknown, allowed_values?: { value: unknown }[] }} OptionKey
 * @typedef {{ apiKey: string, language: string }} Choice
 */

const KEPT = 'innkeeper-explorer';
const CHECK_PATH = '/api/option_groups';

/** @type {<T extends HTMLElement>(id: string) => T} */
const find = (id) => /** @type {any} */ (document.getElementById(id));
const gate = find('gate');
const keyInput = /** @type {HTMLInputElement} */ (find('api-key'));
const languageInput = /** @type {HTMLInputElement} */ (find('language'));
const openButton = /** @type {HTMLButtonElement} */ (find('open'));

/** @type {Promise<ApiDocument> | undefined} */
let loading;

async function loadDocument() {
  loading ??= fetch('openapi.json').then((answer) => {
    if (!answer.ok) throw new Error(`openapi.json: HTTP ${answer.status}`);
    return answer.json();
  });
  loading.catch(() => {
    loading = undefined;
  });
  return loading;
}

/**
 * Undefined if the key and the language are valid; otherwise what is wrong, for the reader.
 * @param {ApiDocument} api
 * @param {Choice} choice
 * @returns {Promise<{ problem: string, input: HTMLInputElement } | undefined>}
 */
async function check(api, { apiKey, language }) {
  if (apiKey === '') return { problem: 'The apiKey is missing. (1001)', input: keyInput };
  // A text that cannot be sent in a header is no application's key.
  if (!/^[\x21-\x7e]+$/.test(apiKey)) return { problem: 'No application has this apiKey. (1002)', input: keyInput };
  const query = new URLSearchParams({ limit: '0', ...(language && { language }) });
  const url = api.paths[CHECK_PATH] ? `${CHECK_PATH.slice(1)}?${query}` : 'docs/api-key';
  const answer = await fetch(url, { headers: { apiKey }, cache: 'no-store' });
  if (answer.ok) return undefined;
  /** @type {ErrorBody} */
  const body = await answer.json().catch(() => ({}));
  const allowed = body.errors?.[0]?.allowed;
  const told = `${body.message ?? 'The key could not be checked.'} (${body.code ?? `HTTP ${answer.status}`})`;
  return {
    problem: allowed ? `${told} It has: ${allowed.join(', ')}.` : told,
    input: body.code === '1003' ? languageInput : keyInput,
  };
}

/**
 * Adapts the examples to the application. Removes those of optional parameters, which would otherwise be sent unasked,
 * and of confirmations, which are up to the reader.
 * @param {ApiDocument} api
 * @param {Choice} choice
 * @returns {Promise<ApiDocument>}
 */
async function tailor(api, { apiKey, language }) {
  const standIns = api['x-stand-ins'];
  const keys = api.paths['/api/option_keys'] ? await loadKeys(apiKey) : [];
  const theme = keys.find(({ name, option_group_name }) => name === 'theme' && option_group_name === 'appearance');
  const key = theme ?? keys[0];
  let text = JSON.stringify(api).replaceAll(/** @type {string} */ (standIns.clientId), apiKey);
  if (key) {
    const second = keys.find(({ name }) => name === 'text_size') ?? key;
    const other = keys.find(({ option_group_uid }) => option_group_uid !== key.option_group_uid);
    text = text
      .replaceAll(/** @type {string} */ (standIns.groupUid), key.option_group_uid)
      .replaceAll(/** @type {string} */ (standIns.keyUid), key.option_key_uid)
      .replaceAll(/** @type {string} */ (standIns.secondKeyUid), second.option_key_uid);
    if (other) text = text.replaceAll(/** @type {string} */ (standIns.secondGroupUid), other.option_group_uid);
  }
  /** @type {ApiDocument} */
  const tailored = JSON.parse(text);
  // Use this page's own address even if the public URL differs: its policy allows no other.
  tailored.servers = [{ url: new URL('.', location.href).href.replace(/\/$/, '') }];
  delete tailored.info.license;
  for (const operation of Object.values(tailored.paths).flatMap((each) => Object.values(each))) {
    for (const parameter of operation.parameters ?? []) {
      if (!parameter.required || parameter.name === 'confirm') delete parameter.examples;
      else presetIfOne(parameter);
      if (parameter.name === 'language' && language !== '') parameter.example = language;
    }
    for (const content of Object.values(operation.requestBody?.content ?? {})) {
      if (key && !theme && content.examples) content.examples = fitExamples(content.examples, key);
    }
  }
  return tailored;
}

/**
 * Presets the value if all examples are the same.
 * @param {Parameter} parameter
 */
function presetIfOne(parameter) {
  const [first, ...others] = new Set(Object.values(parameter.examples ?? {}).map(({ value }) => value));
  if (first === undefined || others.length > 0) return;
  parameter.example = first;
  delete parameter.examples;
}

/**
 * @param {string} apiKey
 * @returns {Promise<OptionKey[]>}
 */
async function loadKeys(apiKey) {
  const answer = await fetch('api/option_keys?limit=20', { headers: { apiKey } });
  return answer.ok ? (await answer.json()).items : [];
}

/**
 * For an application other than the demo: only the first example, with a value that its own key allows.
 * @param {Record<string, Example>} examples
 * @param {OptionKey} key
 */
function fitExamples(examples, key) {
  const [name, example] = Object.entries(examples)[0] ?? [];
  if (name === undefined || example === undefined || !JSON.stringify(example).includes(key.option_key_uid)) {
    return examples;
  }
  const value = [key.allowed_values?.[0]?.value ?? key.default_value ?? 'a value'].flat();
  const body = /** @type {{ options?: object[] }} */ (example.value);
  const fitted = body.options ? { ...body, options: [{ ...body.options[0], value }] } : { ...body, value };
  return { [name]: { ...example, value: fitted } };
}

/**
 * @param {ApiDocument} api
 * @param {Choice} choice
 */
async function openExplorer(api, choice) {
  const place = find('explorer');
  gate.hidden = true;
  find('loading').hidden = false;
  const [spec] = await Promise.all([tailor(api, choice), loadSwaggerUi(place)]);
  find('current-key').textContent = choice.apiKey;
  find('identity').hidden = false;
  place.hidden = false;

  const { SwaggerUIBundle } = /** @type {any} */ (window);
  const ui = SwaggerUIBundle({
    spec,
    domNode: place,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [keepKey, lookUpReferences],
    layout: 'BaseLayout',
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    tryItOutEnabled: true,
    validatorUrl: null,
    queryConfigEnabled: false,
    persistAuthorization: false,
    withCredentials: false,
    /** @param {{ url: string }} request */
    requestInterceptor(request) {
      if (new URL(request.url, location.href).origin !== location.origin)
        throw new Error('Requests go to this service only.');
      return request;
    },
    onComplete() {
      ui.preauthorizeApiKey('apiKey', choice.apiKey);
      find('loading').hidden = true;
      find('main').focus();
    },
  });
}

/** Swagger UI's own dialog can only remove the key, which leads back to the first screen. */
function keepKey() {
  return {
    statePlugins: {
      auth: {
        wrapActions: {
          /** @param {(names: string[]) => unknown} original */
          logout: (original) => (/** @type {string[]} */ names) => {
            return names.includes('apiKey') ? changeKey() : original(names);
          },
        },
      },
    },
  };
}

/**
 * Swagger UI re-reads the whole document for each operation that is opened, which takes seconds. Our document only
 * needs references to its own components resolved, and none of them is circular.
 */
function lookUpReferences() {
  return {
    fn: {
      /**
       * @param {ApiDocument} api
       * @param {string[]} path
       */
      async resolveSubtree(api, path) {
        /** @param {string[]} steps */
        const at = (steps) => steps.reduce((/** @type {any} */ found, step) => found?.[step], api);
        /** @type {(found: any) => any} */
        const resolve = (found) => {
          if (Array.isArray(found)) return found.map(resolve);
          if (typeof found !== 'object' || found === null) return found;
          if (typeof found.$ref === 'string') return resolve(at(found.$ref.split('/').slice(1)));
          return Object.fromEntries(Object.entries(found).map(([name, value]) => [name, resolve(value)]));
        };
        return { spec: resolve(at(path)), errors: [] };
      },
    },
  };
}

/** @param {HTMLElement} place */
async function loadSwaggerUi(place) {
  const style = document.createElement('link');
  style.rel = 'stylesheet';
  style.href = place.dataset.style ?? '';
  const script = document.createElement('script');
  script.src = place.dataset.script ?? '';
  const loaded = [style, script].map(
    (element) =>
      new Promise((resolve, reject) => {
        element.addEventListener('load', resolve);
        element.addEventListener('error', () => reject(new Error('Swagger UI could not be loaded.')));
      }),
  );
  // Before our own style sheet, which overrides it.
  document.head.prepend(style, script);
  await Promise.all(loaded);
}

/** Back to the first screen, with everything reset. */
function changeKey() {
  sessionStorage.removeItem(KEPT);
  location.assign(location.pathname);
}

/**
 * @param {string} problem
 * @param {HTMLInputElement} input
 */
function tell(problem, input) {
  gate.hidden = false;
  find('loading').hidden = true;
  find('problem').textContent = problem;
  for (const each of [keyInput, languageInput]) each.removeAttribute('aria-invalid');
  input.setAttribute('aria-invalid', 'true');
  input.focus();
}

async function submit() {
  const choice = { apiKey: keyInput.value.trim(), language: languageInput.value.trim() };
  find('problem').textContent = '';
  openButton.disabled = true;
  try {
    const api = await loadDocument();
    const found = await check(api, choice);
    if (found) {
      sessionStorage.removeItem(KEPT);
      tell(found.problem, found.input);
      return;
    }
    sessionStorage.setItem(KEPT, JSON.stringify(choice));
    await openExplorer(api, choice);
  } catch (error) {
    tell(`The service could not be reached: ${error instanceof Error ? error.message : error}`, keyInput);
  } finally {
    openButton.disabled = false;
  }
}

/** The choice in the link, or the last one in this tab. */
function presetChoice() {
  const query = new URLSearchParams(location.search);
  const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? '{}');
  const apiKey = query.get('apiKey') ?? kept.apiKey ?? '';
  return { apiKey, language: query.get('language') ?? (apiKey === kept.apiKey ? kept.language : '') ?? '' };
}

function followColours() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', apply);
  apply();
}

followColours();
find('change-key').addEventListener('click', changeKey);
find('key-form').addEventListener('submit', (event) => {
  event.preventDefault();
  void submit();
});
const preset = presetChoice();
keyInput.value = preset.apiKey;
languageInput.value = preset.language;
if (preset.apiKey === '') keyInput.focus();
else void submit();
loadDocument().then(
  (api) => {
    find('language-field').hidden = !api.paths[CHECK_PATH];
  },
  () => tell('The service could not be reached.', keyInput),
);
