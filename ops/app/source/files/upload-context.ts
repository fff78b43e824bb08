/** How screens upload into the library. */
import { createContext } from 'react';

/** Uploads files into a folder; null is the folder that the settings name. */
export type BeginUploads = (files: readonly File[], folder: string | null) => void;

export const UploadContext = createContext<BeginUploads>(() => undefined);
