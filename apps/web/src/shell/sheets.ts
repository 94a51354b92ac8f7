import { useUI } from '../page/ui-store.js';
import { matches, PHONE } from '../ui/use-media.js';

/** Makes panels sheets at one place on a phone: opening one closes the other. Returns a function that ends it. */
export function followSheets(phone: () => boolean = () => matches(PHONE)): () => void {
  return useUI.subscribe(({ left, bottom }, before) => {
    if (left && left !== before.left && bottom && phone()) useUI.setState({ bottom: null });
    else if (bottom && bottom !== before.bottom && left && phone()) useUI.setState({ left: null });
  });
}
