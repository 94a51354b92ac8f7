import { expect, it } from 'vitest';
import { translate } from '../../i18n/index.js';
import { conditionName } from './condition-names.js';

it('names conditions in the language of the page, and others by their type', () => {
  const zh = (type: string) => conditionName(type, (key) => translate('zh-CN', key));
  expect(['PodScheduled', 'ContainersReady', 'Ready', 'toString'].map(zh)).toEqual([
    '已调度',
    '容器',
    'Ready',
    'toString',
  ]);
});
