import { inOrder, type ListedScenario } from './entries.js';
import { list } from './gen/list.js';

/** The scenarios that come with the program as a list shows them: in the order to meet them, without their texts. */
export const listedScenarios: readonly ListedScenario[] = inOrder(list);
