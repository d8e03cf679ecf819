/** Bars over time, drawn without a library. The same numbers are in a table beside it, so screen readers get a summary only. */
import { finePercent, percent } from "../../format/numbers.ts";
import { day } from "../../format/time.ts";
import { marksOf, type Point } from "./time-chart.ts";

interface TimeChartProps {
  title: string;
  points: readonly Point[];
  period: "day" | "week";
  /** The top of the scale, as a share. */
  most: number;
  /** A horizontal line to compare the bars with. */
  line?: { at: number; name: string };
  /** What to show without points. */
  empty: string;
}

export function TimeChart({ title, points, period, most, line, empty }: TimeChartProps) {
  const marks = marksOf(points, period, most);
  const [first, last] = [points[0], points.at(-1)];
  return (
    <figure className="time-chart">
      <figcaption>{title}</figcaption>
      {!first || !last ? <p className="quiet">{empty}</p> : (
        <>
          <div className="chart-area" role="img" aria-label={`${title}: ${finePercent(last.value)} in the ${period} of ${day(last.at.slice(0, 10))}, ${finePercent(first.value)} in that of ${day(first.at.slice(0, 10))}`}>
            <span className="chart-top">{percent(most)}</span>
            {line && line.at <= most && <span className="chart-line" style={{ bottom: `${(100 * line.at) / most}%` }}><span>{line.name}</span></span>}
            {marks.map((mark, at) => {
              const point = points[at];
              return (
                <span key={at} className="chart-slot" style={{ left: `${mark.left}%`, width: `${mark.width}%` }} title={point && wordsOf(point)}>
                  <span className="chart-bar" style={{ height: `${mark.value}%` }} />
                  {mark.low !== null && mark.high !== null && <span className="chart-interval" style={{ bottom: `${mark.low}%`, height: `${mark.high - mark.low}%` }} />}
                </span>
              );
            })}
          </div>
          <div className="chart-dates quiet"><span>{day(first.at.slice(0, 10))}</span>{points.length > 1 && <span>{day(last.at.slice(0, 10))}</span>}</div>
        </>
      )}
    </figure>
  );
}

function wordsOf({ at, value, low, high }: Point): string {
  const interval = low == null || high == null ? "" : ` (95% interval ${finePercent(low)} to ${finePercent(high)})`;
  return `${day(at.slice(0, 10))}: ${finePercent(value)}${interval}`;
}
