import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';
import type { PictureOptions } from './draw.js';

export const SCALES = [1, 2, 4] as const;
export type Scale = (typeof SCALES)[number];
export interface PictureSettings extends PictureOptions {
  readonly scale: Scale;
}
const USUAL: PictureSettings = { part: 'whole', theme: 'page', caption: true, scale: 2 };

/** Reads the last settings; the usual ones replace those that are not valid. */
export function settingsFrom(stored: string | null): PictureSettings {
  let value: unknown;
  try {
    value = JSON.parse(stored ?? 'null');
  } catch {
    return USUAL;
  }
  if (typeof value !== 'object' || value === null) return USUAL;
  const { part, theme, caption, scale } = value as Readonly<Record<string, unknown>>;
  return {
    part: part === 'view' ? 'view' : 'whole',
    theme: theme === 'light' ? 'light' : 'page',
    caption: caption !== false,
    scale: SCALES.find((s) => s === scale) ?? USUAL.scale,
  };
}

export const usePicture = create<PictureSettings>(() => settingsFrom(recall('picture')));

export function setPicture(changes: Partial<PictureSettings>): void {
  usePicture.setState(changes);
  remember('picture', JSON.stringify(usePicture.getState()));
}
