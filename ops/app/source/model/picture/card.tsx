/** A collection in the picture: its name, and the fields that count. */
import { Handle, type Node, type NodeProps, Position, useStore } from '@xyflow/react';
import {
  createContext,
  type MouseEvent,
  memo,
  type RefObject,
  useContext,
  useEffect,
  useRef,
} from 'react';
import { Link } from 'react-router-dom';
import { Icon, NamedIcon } from '../../theme/icon.tsx';
import { useTranslate } from '../../translation/use-translate.ts';
import { typeIcon, typeKey } from '../field-types.ts';
import { fieldPath, settingsPath } from '../route.ts';
import type { PictureCard, PictureRow } from './graph.ts';
import { rowMiddle } from './size.ts';

export interface CardData extends Record<string, unknown> {
  readonly card: PictureCard;
  /** How many relations it has in the picture. */
  readonly relations: number;
}

export type CardNode = Node<CardData, 'card'>;

export interface CardActions {
  /** The card that shall have the focus as soon as it is drawn. */
  readonly wanted: RefObject<string | null>;
  readonly expand: (collection: string) => void;
  readonly openMenu: (event: MouseEvent<HTMLElement>, collection: string) => void;
}

export const CardContext = createContext<CardActions | null>(null);

/** Below this, texts of the fields cannot be read, and only names are drawn. */
const FAR = 0.45;

function rowIcon({ isKey, isRelation, type }: PictureRow) {
  if (isKey) return 'key';
  return isRelation ? 'link' : typeIcon(type);
}

function Row({ card, row, tabIndex }: { card: PictureCard; row: PictureRow; tabIndex: number }) {
  const translate = useTranslate();
  const { field, name, type, isKey, isRequired, isRelation } = row;
  const type_ = translate(typeKey(type), { _: type });
  const title = isRequired
    ? `${field} · ${type_} · ${translate('model.mark.required')}`
    : `${field} · ${type_}`;
  return (
    <li className="row" data-kind={isKey ? 'key' : isRelation ? 'relation' : 'plain'}>
      <Link
        to={fieldPath(card.collection, field)}
        tabIndex={tabIndex}
        draggable={false}
        title={title}
      >
        <Icon name={rowIcon(row)} />
        <span className="name" dir="auto">
          {name}
          {isRequired && !isKey && <i aria-hidden>*</i>}
        </span>
        {!(type === 'alias') && <span className="type">{type}</span>}
      </Link>
      <Handle type="source" id={field} position={Position.Right} />
    </li>
  );
}

function Rows({ card, active }: { readonly card: PictureCard; readonly active: boolean }) {
  const translate = useTranslate();
  const actions = useContext(CardContext);
  const tabIndex = active ? 0 : -1;
  return (
    <ul>
      {card.rows.map((row) => (
        <Row key={row.field} card={card} row={row} tabIndex={tabIndex} />
      ))}
      {card.hidden > 0 && (
        <li className="row">
          <button
            type="button"
            className="more"
            tabIndex={tabIndex}
            onClick={() => actions?.expand(card.collection)}
          >
            {translate('picture.moreFields', { smart_count: card.hidden })}
          </button>
        </li>
      )}
    </ul>
  );
}

/**
 * Where edges meet the card: the library looks for them in the page, also while no fields are drawn. One
 * begins a line at the `Handle` of a row.
 */
function Ends({ card, isFar }: { readonly card: PictureCard; readonly isFar: boolean }) {
  return card.rows.flatMap(({ field }) => {
    const top = rowMiddle(card, field);
    const end = { 'data-handleid': field, 'aria-hidden': true } as const;
    return [
      <i
        key={`in ${field}`}
        className="end target"
        data-handlepos="left"
        {...end}
        style={{ top, left: 0 }}
      />,
      ...(isFar
        ? [
            <i
              key={`out ${field}`}
              className="end source"
              data-handlepos="right"
              {...end}
              style={{ top, right: 0 }}
            />,
          ]
        : []),
    ];
  });
}

function Card({ data, selected }: NodeProps<CardNode>) {
  const translate = useTranslate();
  const actions = useContext(CardContext);
  const isFar = useStore(({ transform }) => transform[2] < FAR);
  const own = useRef<HTMLDivElement>(null);
  const { card, relations } = data;
  const { collection, name, icon, color } = card;
  useEffect(() => {
    if (!selected || actions?.wanted.current !== collection) return;
    actions.wanted.current = null;
    own.current?.focus({ preventScroll: true });
  }, [selected, actions, collection]);
  const tabIndex = selected ? 0 : -1;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups inputs, and this is none.
    <div
      ref={own}
      role="group"
      className={`card${selected ? ' active' : ''}${isFar ? ' far' : ''}`}
      data-collection={collection}
      tabIndex={tabIndex}
      aria-label={translate('picture.card', { name, fields: card.rows.length, relations })}
      style={color === null ? undefined : { borderTopColor: color }}
    >
      <div className="head">
        <Link
          to={settingsPath(collection)}
          tabIndex={tabIndex}
          draggable={false}
          title={collection}
        >
          <NamedIcon name={icon} fallback="database" />
          <strong dir="auto">{name}</strong>
        </Link>
        {!isFar && (
          <button
            type="button"
            className="menu nodrag"
            tabIndex={tabIndex}
            aria-label={translate('picture.menuOf', { name })}
            aria-haspopup="menu"
            onClick={(event) => actions?.openMenu(event, collection)}
          >
            <Icon name="more_vert" />
          </button>
        )}
      </div>
      {!isFar && <Rows card={card} active={selected} />}
      <Ends card={card} isFar={isFar} />
    </div>
  );
}

export const CollectionCard = memo(Card);
