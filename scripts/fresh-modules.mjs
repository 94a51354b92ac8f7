/**
 * Set-up of the page's tests: each file loads the modules anew, so that stores begin empty, but in the same process.
 */
import { vi } from 'vitest';

vi.resetModules();
