/** Cuts a part out of a picture, in the browser. */

/** A part of a picture, in pixels of the picture as it is turned. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Cut {
  readonly area: Area;
  /** Clockwise, in degrees: 0, 90, 180 or 270. */
  readonly turn: number;
  /** The longest side of the result in pixels; without it the result has all pixels of the part. */
  readonly longest?: number;
}

/** Formats that browsers write; others become PNG. */
const WRITTEN = new Set(['image/jpeg', 'image/png', 'image/webp']);
const ENDINGS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/webp': 'webp' };
const QUALITY = 0.92;

function canvasOf(width: number, height: number) {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('this browser draws no pictures');
  return { canvas, context };
}

async function loaded(content: Blob): Promise<ImageBitmap> {
  return createImageBitmap(content, { imageOrientation: 'from-image' });
}

/** The whole picture, turned. */
function turned(picture: ImageBitmap, turn: number): HTMLCanvasElement {
  const isOnSide = turn % 180 !== 0;
  const { width, height } = picture;
  const { canvas, context } = isOnSide ? canvasOf(height, width) : canvasOf(width, height);
  context.translate(canvas.width / 2, canvas.height / 2);
  context.rotate((turn * Math.PI) / 180);
  context.drawImage(picture, -width / 2, -height / 2);
  return canvas;
}

/** The part of a picture as a file of the same name. */
export async function cropPicture(content: File, { area, turn, longest }: Cut): Promise<File> {
  const picture = await loaded(content);
  const whole = turn === 0 ? picture : turned(picture, turn);
  const { x, y, width, height } = area;
  const scale = Math.min(1, (longest ?? Number.POSITIVE_INFINITY) / Math.max(width, height));
  const { canvas, context } = canvasOf(width * scale, height * scale);
  context.imageSmoothingQuality = 'high';
  context.drawImage(whole, x, y, width, height, 0, 0, canvas.width, canvas.height);
  picture.close();
  const type = WRITTEN.has(content.type) ? content.type : 'image/png';
  const blob = await new Promise<Blob | null>((resolve) => {
    canvas.toBlob(resolve, type, QUALITY);
  });
  if (blob === null) throw new Error('the picture has too many pixels');
  const name = `${content.name.replace(/(?<=.)\.[^.]*$/, '')}.${ENDINGS[blob.type] ?? 'png'}`;
  return new File([blob], name, { type: blob.type });
}
