import { useUI } from '../page/ui-store.js';
import { matches, PHONE } from '../ui/use-media.js';

/** On a phone panels are sheets at one place: who opens one puts the other away. Returns a function that ends it. */
export function followSheets(phone: () => boolean = () => matches(PHONE)): () => void {
  return useUI.subscribe(({ left, bottom }, before) => {
    if (left && left !== before.left && bottom && phone()) useUI.setState({ bottom: null });
    else if (bottom && bottom !== before.bottom && left && phone()) useUI.setState({ left: null });
  });
}
