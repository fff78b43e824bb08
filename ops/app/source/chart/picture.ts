/** The picture of a chart as a file: its SVG is drawn again with plain attributes, on a canvas. */

/** Looks that classes give; an image has no style sheets of the page. */
const LOOKS = [
  ...['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-opacity'],
  ...['opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor', 'dominant-baseline'],
];
const STYLED = new Set(['class', 'style']);
const TITLE_HEIGHT = 40;
const PADDING = 16;
/** Sharp on screens of a high resolution, too. */
const SCALE = 2;

/** A copy without classes, which a policy that forbids styles within a document permits. */
function plainCopy(element: Element): Element {
  const copy = document.createElementNS(element.namespaceURI, element.tagName);
  for (const { name, value } of element.attributes) {
    if (!STYLED.has(name)) copy.setAttribute(name, value);
  }
  const looks = getComputedStyle(element);
  for (const name of LOOKS) copy.setAttribute(name, looks.getPropertyValue(name));
  for (const child of element.childNodes) {
    if (child instanceof Element) copy.append(plainCopy(child));
    else if (child.nodeType === Node.TEXT_NODE) copy.append(child.textContent ?? '');
  }
  return copy;
}

async function imageOf(svg: SVGSVGElement, width: number, height: number) {
  const copy = plainCopy(svg);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  const image = new Image();
  const text = new XMLSerializer().serializeToString(copy);
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  return image;
}

/** Draws the chart below its title, on the colour of the paper that it stands on. */
export async function pictureOf(svg: SVGSVGElement, title: string, paper: string): Promise<Blob> {
  const { width, height } = svg.getBoundingClientRect();
  const image = await imageOf(svg, width, height);
  const canvas = document.createElement('canvas');
  canvas.width = (width + 2 * PADDING) * SCALE;
  canvas.height = (height + TITLE_HEIGHT + 2 * PADDING) * SCALE;
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('This browser draws no pictures.');
  context.scale(SCALE, SCALE);
  context.fillStyle = paper;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const { color, fontFamily, direction } = getComputedStyle(svg.parentElement ?? svg);
  context.fillStyle = color;
  context.font = `600 16px ${fontFamily}`;
  context.textAlign = direction === 'rtl' ? 'right' : 'left';
  context.fillText(title, direction === 'rtl' ? width + PADDING : PADDING, PADDING + 16, width);
  context.drawImage(image, PADDING, PADDING + TITLE_HEIGHT, width, height);
  return await new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('This browser makes no files of pictures.'));
      else resolve(blob);
    }, 'image/png');
  });
}
