/** The names of core, which are loaded when the palette opens. */
type Names = typeof import('@syncloop/core/names');

let loaded: Names | null = null;
let loading: Promise<void> | null = null;

/** Loads them, once; a failed attempt is made again by the next one. */
export function loadNames(): Promise<void> {
  loading ??= import('@syncloop/core/names').then(
    (names) => {
      loaded = names;
    },
    (error: unknown) => {
      loading = null;
      throw error;
    },
  );
  return loading;
}

/** Null before they are loaded. */
export const names = (): Names | null => loaded;
