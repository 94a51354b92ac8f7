import { Suspense } from 'react';
import { useUI } from '../../page/ui-store.js';
import { dialogOf } from '../registry.js';

/** The dialog that is open. */
export function Dialogs() {
  const dialog = useUI((s) => s.dialog);
  const Open = dialog && dialogOf(dialog);
  if (!Open) return null;
  return (
    <Suspense fallback={null}>
      <Open />
    </Suspense>
  );
}
