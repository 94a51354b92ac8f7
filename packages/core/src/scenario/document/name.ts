import { matching } from '../../shape/index.js';

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The name of a scenario or a lesson, and of its file. The schemas in docs have it, too. */
export const contentName = matching(NAME, 'a name of small letters, digits and -');
/** True if a scenario may have this name. */
export const isScenarioName = (name: string): boolean => NAME.test(name);
