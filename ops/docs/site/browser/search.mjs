/** The search of the documentation: an index of this server, loaded when somebody goes to the box. */

const MOST = 12;
/** Characters around the first word that was found. */
const AROUND = 70;

const data = document.documentElement.dataset;
const urlOf = (way) => new URL(way, document.baseURI).href;

let loading = null;

/** Loads the library and the index, once. */
function load() {
  loading ??= Promise.all([
    import(urlOf(data.library)),
    fetch(urlOf(data.index)).then((answer) => {
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return answer.json();
    }),
  ]).then(([{ default: MiniSearch }, { options, separator, index }]) => {
    const between = new RegExp(separator, 'u');
    return MiniSearch.loadJS(index, { ...options, tokenize: (text) => text.split(between) });
  });
  loading.catch(() => {
    loading = null;
  });
  return loading;
}

function find(search, text) {
  const options = {
    prefix: true,
    fuzzy: (term) => (term.length > 4 ? 0.2 : false),
    boost: { title: 4, heading: 3, words: 2 },
    boostDocument: (_, __, { weight }) => weight,
  };
  const all = search.search(text, { ...options, combineWith: 'AND' });
  return (all.length > 0 ? all : search.search(text, options)).slice(0, MOST);
}

/** Appends a text in which some words are marked. */
function appendMarked(to, text, words) {
  const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
  const parts =
    escaped.length === 0 ? [text] : text.split(new RegExp(`(${escaped.join('|')})`, 'giu'));
  for (const [place, part] of parts.entries()) {
    if (place % 2 === 0) to.append(part);
    else to.append(Object.assign(document.createElement('mark'), { textContent: part }));
  }
}

/** The part of a text around the first of some words. */
function excerpt(text, words) {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const at = places.length === 0 ? 0 : Math.min(...places);
  const start = at <= AROUND ? 0 : text.indexOf(' ', at - AROUND) + 1;
  const end = text.indexOf(' ', at + 2 * AROUND);
  return `${start > 0 ? '… ' : ''}${text.slice(start, end < 0 ? undefined : end)}${end < 0 ? '' : ' …'}`;
}

function optionFor(result, place) {
  const option = document.createElement('a');
  option.id = `site:found-${place}`;
  option.href = urlOf(data.root + result.url);
  option.tabIndex = -1;
  option.setAttribute('role', 'option');
  option.setAttribute('aria-selected', 'false');
  const title = document.createElement('strong');
  title.append(result.page);
  if (result.heading !== '') {
    const heading = document.createElement('span');
    heading.append(` › ${result.heading}`);
    title.append(heading);
  }
  const text = document.createElement('span');
  appendMarked(text, excerpt(result.text, result.terms), result.terms);
  option.append(title, text);
  return option;
}

/** Shows the box and listens to it. */
export function openSearch() {
  const box = document.querySelector('search');
  if (box === null) return;
  const input = box.querySelector('input');
  const list = box.querySelector('[role=listbox]');
  const found = box.querySelector('.found');
  const note = box.querySelector('[role=status]');
  let chosen = -1;

  const choose = (place) => {
    const options = [...list.children];
    chosen = options.length === 0 ? -1 : (place + options.length) % options.length;
    for (const [at, option] of options.entries()) {
      option.setAttribute('aria-selected', String(at === chosen));
    }
    const option = options[chosen];
    if (option === undefined) input.removeAttribute('aria-activedescendant');
    else {
      input.setAttribute('aria-activedescendant', option.id);
      option.scrollIntoView({ block: 'nearest' });
    }
  };
  const show = (open) => {
    found.hidden = !open;
    input.setAttribute('aria-expanded', String(open && list.children.length > 0));
  };
  const say = (text) => {
    note.textContent = text;
    note.hidden = text === '';
  };
  const update = async () => {
    const text = input.value.trim();
    if (text === '') {
      list.replaceChildren();
      choose(-1);
      show(false);
      return;
    }
    let results;
    try {
      results = find(await load(), text);
    } catch {
      list.replaceChildren();
      say('The search cannot be loaded now.');
      show(true);
      return;
    }
    // Somebody has typed on meanwhile.
    if (input.value.trim() !== text) return;
    list.replaceChildren(...results.map(optionFor));
    say(results.length === 0 ? `Nothing is found for “${text}”.` : '');
    show(true);
    choose(0);
  };

  box.hidden = false;
  input.addEventListener('focus', () => {
    load().catch(() => undefined);
    if (input.value.trim() !== '') show(true);
  });
  input.addEventListener('input', update);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      show(list.children.length > 0);
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      list.children[chosen]?.click();
    } else if (event.key === 'Escape') {
      if (found.hidden) input.value = '';
      show(false);
    }
  });
  list.addEventListener('click', () => show(false));
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (relatedTarget === null || !box.contains(relatedTarget)) show(false);
  });
  // A click must not take the focus away before it has led somewhere.
  found.addEventListener('mousedown', (event) => event.preventDefault());
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.altKey || event.metaKey) return;
    const typing = event.target.closest?.('input, textarea, select, [contenteditable]');
    const wanted = event.ctrlKey ? event.key === 'k' : event.key === '/' && !typing;
    if (!wanted) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}
