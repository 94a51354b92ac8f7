import { lazy } from 'react';

/** Loaded with the inspector's tab that shows it. */
export const WaysNotTaken = lazy(async () => ({ default: (await import('./other-cases.js')).WaysNotTaken }));
