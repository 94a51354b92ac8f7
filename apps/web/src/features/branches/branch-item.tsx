import type { BranchInfo } from '@syncloop/core/debug';
import { defaultEra } from '@syncloop/core/kubelet';
import { useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { seconds } from '../../units/text.js';
import { useBranches } from './branches-store.js';
import type { BranchNode } from './logic/branches.js';

/** Shows a branch with its commands, and those that left it below. */
export function BranchItem({ node }: { readonly node: BranchNode }) {
  const { branch, children } = node;
  return (
    <li>
      <BranchRow branch={branch} orphan={node.orphan} />
      {children.length > 0 && (
        <ul className="sl-branch-children">
          {children.map((child) => (
            <BranchItem key={child.branch.id} node={child} />
          ))}
        </ul>
      )}
    </li>
  );
}

function BranchRow({ branch, orphan }: { readonly branch: BranchInfo; readonly orphan: boolean }) {
  const t = useT();
  const { id, name, forkedAt, parent, halted } = branch;
  const [renaming, setRenaming] = useState(false);
  // The session's report is newer than the list.
  const current = useSession((s) => s.run.branch === id);
  const end = useSession((s) => (s.run.branch === id && s.run.end ? s.run.end : branch.end));
  const parentName = useBranches((s) => s.branches.find((b) => b.id === parent)?.name ?? '');
  const sameEra = useBranches((s) => s.branches.find((b) => b.id === parent)?.era === branch.era);
  const compared = useBranches((s) => s.compared?.theirs.id === id && !current);
  const comparing = useBranches((s) => s.comparing);
  const seq = forkedAt.seq;
  const origin = orphan
    ? t('branches.orphan', { seq })
    : parent === 0
      ? t('branches.start')
      : sameEra
        ? t('branches.left', { name: parentName, seq })
        : t('branches.otherEra', { name: parentName, era: branch.era ?? defaultEra });
  return (
    <div className="sl-branch u-flex u-gap-8 u-pad-4" data-current={current || undefined} data-testid={`branch-${id}`}>
      <span className="u-desired" aria-hidden="true">
        {current ? '●' : '○'}
      </span>
      <div className="u-grow u-min-width-0 u-break">
        {renaming ? (
          <Rename branch={branch} onDone={() => setRenaming(false)} />
        ) : (
          <p>
            <strong>{name}</strong> {current && <span className="u-fs-1 u-desired">{t('branches.current')}</span>}
          </p>
        )}
        <p className="sl-small">
          {origin} · {t('branches.end', { seq: end.seq, t: seconds(end.time) })}
        </p>
        {halted !== '' && <p className="sl-small sl-bad">{halted}</p>}
        {!renaming && (
          <div className="sl-group sl-branch-tools sl-small-buttons u-wrap">
            {!current && (
              <>
                <button
                  type="button"
                  className="sl-button"
                  aria-label={t('branches.switchTo', { name })}
                  onClick={() => runCommand('branch.switch', id)}
                >
                  {t('branches.switch')}
                </button>
                <button
                  type="button"
                  className="sl-button"
                  aria-label={t('branches.compareWith', { name })}
                  aria-pressed={compared}
                  disabled={comparing !== 0}
                  onClick={() => runCommand('branch.compare', id)}
                >
                  {t(comparing === id ? 'branches.comparing' : 'branches.compare')}
                </button>
              </>
            )}
            <button
              type="button"
              className="sl-button sl-quiet"
              aria-label={t('branches.renameOf', { name })}
              onClick={() => setRenaming(true)}
            >
              {t('branches.rename')}
            </button>
            {!current && (
              <button
                type="button"
                className="sl-button sl-quiet sl-danger"
                aria-label={t('branches.dropOf', { name })}
                onClick={() => runCommand('branch.drop', id)}
              >
                {t('branches.drop')}
              </button>
            )}
          </div>
        )}
      </div>
    </div>
  );
}

/** Longest name that a branch is given here. */
const MOST = 100;

function Rename({ branch, onDone }: { readonly branch: BranchInfo; readonly onDone: () => void }) {
  const t = useT();
  const [name, setName] = useState(branch.name);
  const good = name.trim() !== '';
  return (
    <form
      className="sl-group"
      onSubmit={(e) => {
        e.preventDefault();
        if (!good) return;
        runCommand('branch.rename', { branch: branch.id, name: name.trim() });
        onDone();
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: it was asked for with a button that is gone now
        autoFocus
        className="sl-input"
        aria-label={t('branches.name')}
        aria-invalid={!good}
        maxLength={MOST}
        value={name}
        onChange={(e) => setName(e.currentTarget.value)}
        onKeyDown={(e) => {
          if (e.key !== 'Escape') return;
          e.preventDefault();
          e.stopPropagation();
          onDone();
        }}
      />
      <button type="submit" className="sl-button" disabled={!good}>
        {t('branches.save')}
      </button>
    </form>
  );
}
