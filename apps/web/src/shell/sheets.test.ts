import { expect, it } from 'vitest';
import { useUI } from '../page/ui-store.js';
import { followSheets } from './sheets.js';

it('a sheet puts the other away on a phone, and only there', () => {
  let phone = true;
  useUI.setState({ left: null, bottom: 'records' });
  const end = followSheets(() => phone);
  useUI.setState({ left: 'pods' });
  expect(useUI.getState()).toMatchObject({ left: 'pods', bottom: null });
  useUI.setState({ bottom: 'log' });
  expect(useUI.getState()).toMatchObject({ left: null, bottom: 'log' });
  phone = false;
  useUI.setState({ left: 'pods' });
  expect(useUI.getState()).toMatchObject({ left: 'pods', bottom: 'log' });
  end();
});
