import { useT } from '../../i18n/index.js';
import { CommandButton } from '../../ui/command-button.js';
import { visible } from '../../units/text.js';
import { useObserved } from './observed-store.js';

/** The node that is shown; a choice of all, if the files have something of several. */
export function NodeChoice({ node }: { readonly node: string }) {
  const t = useT();
  const { nodes, shown, showNode, overview } = useObserved();
  const names = nodes.length > 1 ? nodes : (overview?.nodes ?? []).map(({ name }) => name);
  if (names.length < 2 || !showNode) return node === '' ? null : <span>{t('observed.node', { node })}</span>;
  const current = nodes.length > 1 ? shown : names[0];
  const choice = (
    <label className="sl-observed-node u-row u-gap-6 u-flex-none u-nowrap">
      <span>{t('observed.nodeOf', { n: names.length })}</span>
      <select
        className="sl-input"
        value={current}
        onChange={(event) => void showNode(event.target.value)}
        data-testid="observed-nodes-choice"
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {visible(name)}
          </option>
        ))}
      </select>
    </label>
  );
  return nodes.length > 1 ? (
    <>
      {choice}
      <CommandButton id="view.fleet" testId="observed-fleet">
        {t('observed.allNodes')}
      </CommandButton>
    </>
  ) : (
    choice
  );
}
