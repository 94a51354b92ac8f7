/**
 * Set-up of the page's tests: each file loads the modules anew, so that stores begin empty, but in the same process.
 * The page's texts, which features add when they are registered, are there at once.
 */
import { vi } from 'vitest';

vi.resetModules();
await import('../apps/web/src/fixtures/words.ts');
