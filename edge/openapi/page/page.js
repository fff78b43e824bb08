/** The page to read the description of the API in, and to try it: for this server, and as who signs in. */

/** The root of the API; a proxy may have put something in front of the path. */
const root = new URL('..', location.href);
const state = document.querySelector('#state');
/** Only as long as the page is open. */
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

/** Where a parameter is JSON, the library would send what it makes up from the schema. */
function beginEmpty(parameter) {
  const media = parameter.content?.['application/json'];
  if (media !== undefined) media.example = media.schema.type === 'array' ? [] : {};
}

/** What the caller may use, which is more once somebody has signed in. */
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
  // The page asks nobody but the server that it comes from.
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
  tell(`Signed in as ${email}`);
  await show();
});

document.querySelector('#token').addEventListener('submit', async (event) => {
  event.preventDefault();
  token = new FormData(event.currentTarget).get('token');
  event.currentTarget.reset();
  tell('Requests carry the token');
  await show();
});

document.querySelector('#sign-out').addEventListener('click', async () => {
  const hadToken = token !== null;
  token = null;
  if (hadToken || (await post('auth/logout', { mode: 'session' }))) tell('Signed out');
  await show();
});

await show();
