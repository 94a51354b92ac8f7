import { inOrder, type ListedScenario } from './entries.js';
import { list } from './gen/list.js';

/** What a list shows of the scenarios that come with the program, in the order to meet them; without their texts. */
export const listedScenarios: readonly ListedScenario[] = inOrder(list);
