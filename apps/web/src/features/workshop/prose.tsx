import type { ReactNode } from 'react';

/** Names of code between backquotes, and words between asterisks. */
export function Sentence({ text }: { readonly text: string }): ReactNode {
  return text.split(/(`[^`]*`|\*[^*\s][^*]*\*)/).map((part, i) => {
    // biome-ignore-start lint/suspicious/noArrayIndexKey: a part of a text has no other identity
    if (part.startsWith('`')) return <code key={i}>{part.slice(1, -1)}</code>;
    if (part.startsWith('*')) return <em key={i}>{part.slice(1, -1)}</em>;
    return part;
    // biome-ignore-end lint/suspicious/noArrayIndexKey: as above
  });
}

/** A text of a stage: the Markdown that stages use, which is paragraphs, lists, tables and blocks of code. */
export function Prose({ text }: { readonly text: string }): ReactNode {
  return blocksOf(text).map((block) => <Block key={block} block={block} />);
}

/** Blocks are apart by empty lines, but for those within a fence. */
function blocksOf(text: string): readonly string[] {
  return text.trim().match(/^```[\s\S]*?^```|(?:^(?!```).+(?:\n(?!```)|$))+/gm) ?? [];
}

function Block({ block }: { readonly block: string }) {
  const lines = block.trim().split('\n');
  if (block.startsWith('```')) return <pre className="sl-code u-scroll">{lines.slice(1, -1).join('\n')}</pre>;
  if (lines.every((line) => line.startsWith('|'))) return <MarkdownTable lines={lines} />;
  const isOrdered = lines.every((line) => /^\d+\. |^ {2}/.test(line));
  if (isOrdered || lines.every((line) => /^[-*] |^ {2}/.test(line))) {
    const items = block.trim().split(/\n(?=[-*] |\d+\. )/);
    const List = isOrdered ? 'ol' : 'ul';
    return (
      <List className="sl-workshop-list">
        {items.map((item) => (
          <li key={item}>
            <Sentence text={item.replace(/^(?:[-*]|\d+\.) /, '').replace(/\s*\n\s*/g, ' ')} />
          </li>
        ))}
      </List>
    );
  }
  return (
    <p>
      <Sentence text={lines.join(' ')} />
    </p>
  );
}

function MarkdownTable({ lines }: { readonly lines: readonly string[] }) {
  const [head, ...rows] = lines
    .filter((line) => !/^\|[\s:|-]+\|$/.test(line))
    .map((line) =>
      line
        .replace(/^\||\|\s*$/g, '')
        .split('|')
        .map((cell) => cell.trim()),
    );
  return (
    <table className="sl-workshop-table u-collapse">
      <thead>
        <tr>
          {head?.map((cell) => (
            <th key={cell} scope="col">
              <Sentence text={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.join()}>
            {row.map((cell, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a cell has no other identity
              <td key={i}>
                <Sentence text={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
