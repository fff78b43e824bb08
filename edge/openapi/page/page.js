/**
 * The page that shows the API description and sends test requests to this server, optionally as a
 * signed-in user.
 */

/** The root of the API; a proxy may have prepended a path. */
const root = new URL('..', location.href);
const state = document.querySelector('#state');
/** Stored only while the page is open. */
let token = null;

function at(path) {
  return new URL(path, root).href;
}

function tell(text) {
  state.textContent = text;
}

function authorized(headers = {}) {
  return token === null ? headers : { ...headers, Authorization: `Bearer ${token}` };
}

/** Shows the way out to signed-in users and the way in to others. */
function showAccess(isSignedIn) {
  document.querySelector('#sign-out').hidden = !isSignedIn;
  document.querySelector('#access').hidden = isSignedIn;
  document.querySelector('#access').open = false;
}

/** Says which user the requests of this page belong to. */
async function tellUser() {
  const response = await fetch(at('users/me?fields=email,first_name,last_name'), {
    headers: authorized(),
  });
  const user = response.ok ? (await response.json()).data : null;
  const name = [user?.first_name, user?.last_name].filter(Boolean).join(' ');
  const signedIn = token === null ? 'Signed in' : 'Requests carry the token';
  if (user === null) tell(token === null ? 'Not signed in' : signedIn);
  else tell([signedIn, name || user.email].filter(Boolean).join(': '));
  showAccess(user !== null || token !== null);
}

/** Follows the colour scheme of the device. */
function followScheme() {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', apply);
  apply();
}

/** Prevents the library from sending generated example values for JSON parameters. */
function beginEmpty(parameter) {
  const media = parameter.content?.['application/json'];
  if (media !== undefined) media.example = media.schema.type === 'array' ? [] : {};
}

/** Shows the operations that the caller may use; a signed-in user sees more. */
async function show() {
  const response = await fetch(at('server/specs/oas'), { headers: authorized() });
  const body = await response.json();
  if (!response.ok) {
    tell(body.errors?.[0]?.message ?? `The server answered ${response.status}.`);
    return;
  }
  const operations = Object.values(body.paths).flatMap((path) => Object.values(path));
  const inline = operations.flatMap(({ parameters = [] }) => parameters);
  for (const one of [...Object.values(body.components.parameters), ...inline]) beginEmpty(one);
  // The page sends requests only to its own server.
  const spec = { ...body, servers: [{ url: root.href.replace(/\/$/, '') }] };
  globalThis.SwaggerUIBundle({
    spec,
    dom_id: '#api',
    validatorUrl: null,
    docExpansion: 'none',
    defaultModelsExpandDepth: -1,
    tryItOutEnabled: true,
    requestInterceptor: (request) => {
      const { Authorization: own, authorization = own, ...headers } = request.headers;
      request.headers =
        authorization === undefined ? authorized(headers) : { ...headers, authorization };
      return request;
    },
  });
}

async function post(path, body) {
  const response = await fetch(at(path), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.ok) return true;
  const { errors } = await response.json();
  tell(errors?.[0]?.message ?? `The server answered ${response.status}.`);
  return false;
}

document.querySelector('#sign-in').addEventListener('submit', async (event) => {
  event.preventDefault();
  const form = event.currentTarget;
  const { email, password, otp } = Object.fromEntries(new FormData(form));
  const factor = otp === '' ? {} : { otp };
  if (!(await post('auth/login', { email, password, ...factor, mode: 'session' }))) return;
  token = null;
  form.reset();
  await tellUser();
  await show();
});

document.querySelector('#token').addEventListener('submit', async (event) => {
  event.preventDefault();
  token = new FormData(event.currentTarget).get('token');
  event.currentTarget.reset();
  await tellUser();
  await show();
});

document.querySelector('#sign-out').addEventListener('click', async () => {
  const hadToken = token !== null;
  token = null;
  if (hadToken || (await post('auth/logout', { mode: 'session' }))) await tellUser();
  await show();
});

followScheme();
await tellUser();
await show();
