/** The trades of all documents, each with a link to its place in the document. */
import "./trades.css";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import { linkToTradePdf, listTrades } from "../../api/endpoints.ts";
import { messageOf } from "../../api/problem.ts";
import type { Trade } from "../../api/types.ts";
import { Badge, Button, Empty, Field, ProblemOrMissing, SkeletonRows, type Tone } from "../../design/basics.tsx";
import { nameInWords, valueInWords } from "../../format/fields.ts";
import { probability } from "../../format/numbers.ts";
import { day } from "../../format/time.ts";
import { startDownload } from "../../live/download.ts";
import { showNotice } from "../../live/notices.ts";
import { addressOfTrade, amountOf, MATCH_STATUSES, REVIEW_STATUSES, tradesQuery } from "./trades.ts";

const ROWS = 50;

export default function Trades() {
  const [params] = useSearchParams();
  const query = tradesQuery(params);
  const isFiltered = Object.values(query).some(Boolean);
  const trades = useInfiniteQuery({
    queryKey: ["trades", query],
    queryFn: ({ pageParam, signal }) => listTrades({ ...query, limit: ROWS, cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  const rows = trades.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <div className="screen">
      <div className="screen-head"><h1>Trades</h1></div>
      <section className="card" aria-label="Trades">
        <Filters />
        {trades.isPending && <SkeletonRows rows={8} />}
        {trades.error && <div className="card-body"><ProblemOrMissing error={trades.error} what="list trades" route="GET /v1/trades" onRetry={() => void trades.refetch()} /></div>}
        {trades.data && rows.length === 0 && (isFiltered
          ? <Empty icon="search" title="No matching trades"><p>No trade matches these filters.</p><Link href="/trades" className="button">Clear the filters</Link></Empty>
          : <Empty icon="documents" title="No trades yet"><p>Docket lists the trades of contract notes here. Upload one under Documents.</p></Empty>)}
        {rows.length > 0 && <TradeTable rows={rows} />}
        {trades.hasNextPage && <div className="card-body"><Button disabled={trades.isFetchingNextPage} onClick={() => void trades.fetchNextPage()}>Load earlier trades</Button></div>}
      </section>
    </div>
  );
}

function Filters() {
  const [params, setParams] = useSearchParams();
  const set = (name: string, value: string) => setParams((now) => {
    const next = new URLSearchParams(now);
    if (value) next.set(name, value);
    else next.delete(name);
    return next;
  }, { replace: true });
  return (
    <div className="trade-filters">
      <Field label="ISIN"><input className="input" type="search" data-search placeholder="DE0007164600" value={params.get("isin") ?? ""} onChange={(event) => set("isin", event.target.value)} /></Field>
      <Field label="Traded from"><input className="input" type="date" value={params.get("date_from") ?? ""} onChange={(event) => set("date_from", event.target.value)} /></Field>
      <Field label="Traded to"><input className="input" type="date" value={params.get("date_to") ?? ""} onChange={(event) => set("date_to", event.target.value)} /></Field>
      <StatusFilter label="Match" name="match_status" statuses={MATCH_STATUSES} value={params.get("match_status")} onChange={set} />
      <StatusFilter label="Review" name="review_status" statuses={REVIEW_STATUSES} value={params.get("review_status")} onChange={set} />
    </div>
  );
}

interface StatusFilterProps {
  label: string;
  name: string;
  statuses: Record<string, readonly [Tone, string]>;
  value: string | null;
  onChange: (name: string, value: string) => void;
}

function StatusFilter({ label, name, statuses, value, onChange }: StatusFilterProps) {
  return (
    <Field label={label}>
      <select className="input" value={value ?? ""} onChange={(event) => onChange(name, event.target.value)}>
        <option value="">All</option>
        {Object.entries(statuses).map(([status, [, words]]) => <option key={status} value={status}>{words}</option>)}
      </select>
    </Field>
  );
}

function TradeTable({ rows }: { rows: readonly Trade[] }) {
  return (
    <div className="table-wrap">
      <table className="table cards trades">
        <thead><tr><th>Trade</th><th>Trade date</th><th className="number">Quantity</th><th className="number">Net amount</th><th>Status</th><th className="number">Lowest confidence</th><th>Document</th><th><span className="visually-hidden">Actions</span></th></tr></thead>
        <tbody>{rows.map((trade) => <TradeRow key={trade.trade_id} trade={trade} />)}</tbody>
      </table>
    </div>
  );
}

const NONE = <span className="quiet">–</span>;

function TradeRow({ trade }: { trade: Trade }) {
  const { raw_extracted_data: fields } = trade;
  const quantity = fields["quantity"]?.value;
  const security = fields["security_name"]?.value;
  const name = [trade.side && nameInWords(trade.side), trade.isin ?? "without ISIN"].filter(Boolean).join(" ");
  const [matchTone, match] = MATCH_STATUSES[trade.match_status];
  const [reviewTone, review] = REVIEW_STATUSES[trade.review_status];
  return (
    <tr>
      <td className="cell-name">
        <Link href={addressOfTrade(trade)}>{name}</Link>
        {security && <p className="quiet">{security}</p>}
      </td>
      <td className="cell-when" data-label="Trade date">{trade.trade_date ? day(trade.trade_date) : NONE}</td>
      <td className="number" data-label="Quantity">{quantity == null ? NONE : valueInWords(quantity, "quantity")}</td>
      <td className="number cell-when" data-label="Net amount">{amountOf(trade, "net_amount", "currency") ?? NONE}</td>
      <td data-label="Status"><span className="trade-status"><Badge tone={matchTone} title="Match">{match}</Badge><Badge tone={reviewTone} title="Review">{review}</Badge></span></td>
      <td className="number" data-label="Lowest confidence"><span title="The lowest confidence of its fields">{probability(trade.confidence_score)}</span></td>
      <td className="cell-id" data-label="Document"><Link href={`/documents/${trade.document_id}?tab=fields`}>{trade.document_title}</Link></td>
      <td className="cell-actions"><PdfButton trade={trade} name={name} /></td>
    </tr>
  );
}

function PdfButton({ trade, name }: { trade: Trade; name: string }) {
  const download = useMutation({
    mutationFn: async () => startDownload(await linkToTradePdf(trade.trade_id)),
    onError: (error) => showNotice({ tone: "bad", text: messageOf(error) }),
  });
  return <Button kind="bare" icon="download" title="Download the original" disabled={download.isPending} onClick={() => download.mutate()}>PDF<span className="visually-hidden"> of {name}</span></Button>;
}
