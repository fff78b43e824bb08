/**
 * What the pages of the documentation do with scripts: search, copying of code, the mark in the outline.
 * Everything else works without.
 */
import { openSearch } from './search.mjs';

/** What is wider than its place can be scrolled with the keyboard. */
function markScrollable() {
  for (const box of document.querySelectorAll('pre, .scroll')) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
      box.setAttribute('role', 'group');
      box.setAttribute('aria-label', box.matches('pre') ? 'Code' : 'Table');
    } else if (box.hasAttribute('tabindex')) {
      for (const name of ['tabindex', 'role', 'aria-label']) box.removeAttribute(name);
    }
  }
}

function addCopyButtons() {
  // Browsers let pages write to the clipboard only where nobody can listen in.
  if (navigator.clipboard === undefined) return;
  for (const code of document.querySelectorAll('pre > code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 1_500);
    });
    const box = document.createElement('div');
    box.className = 'code';
    code.parentElement.replaceWith(box);
    box.append(code.parentElement, button);
  }
}

/** Marks the section that is read in the outline. */
function followOutline() {
  const links = new Map();
  for (const link of document.querySelectorAll('.outline a')) {
    const heading = document.getElementById(decodeURIComponent(link.hash.slice(1)));
    if (heading !== null) links.set(heading, link);
  }
  if (links.size === 0) return;
  const update = () => {
    const line = window.innerHeight / 4;
    let current = null;
    for (const heading of links.keys()) {
      if (heading.getBoundingClientRect().top < line) current = heading;
    }
    for (const [heading, link] of links) {
      if (heading === current) link.setAttribute('aria-current', 'true');
      else link.removeAttribute('aria-current');
    }
  };
  document.addEventListener('scroll', update, { passive: true });
  update();
}

/** Shows the current page in a list that is longer than its place. */
function showCurrent() {
  const list = document.getElementById('site:contents');
  const current = list?.querySelector('[aria-current]');
  if (list === null || !current) return;
  const show = () => {
    list.scrollTop = Math.max(0, current.offsetTop - list.clientHeight / 2);
  };
  list.addEventListener('toggle', show);
  show();
}

addCopyButtons();
markScrollable();
window.addEventListener('resize', markScrollable);
followOutline();
showCurrent();
openSearch();
