/** Builds the site of the documentation into `dist`. */
import { join } from 'node:path';
import { writeSite } from './write-site.ts';

await writeSite(join(import.meta.dirname, '../../..'), join(import.meta.dirname, 'dist'));
