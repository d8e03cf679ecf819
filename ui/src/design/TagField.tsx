import "./tag-field.css";
import { useState } from "react";

/** As long as the server takes. */
const LONGEST = 100;

interface TagFieldProps {
  tags: readonly string[];
  onChange: (tags: readonly string[]) => void;
}

/** Tags that can be taken away, and a place to write the next one. */
export function TagField({ tags, onChange }: TagFieldProps) {
  const [written, setWritten] = useState("");
  const add = () => {
    const next = withTags(tags, written);
    setWritten("");
    if (next.length > tags.length) onChange(next);
  };
  return (
    <div className="tag-field">
      {tags.map((tag) => (
        <span key={tag} className="badge plain">
          {tag}
          <button type="button" className="tag-remove" aria-label={`Remove ${tag}`} onClick={() => onChange(tags.filter((kept) => kept !== tag))}>×</button>
        </span>
      ))}
      <input
        className="input"
        aria-label="Add a tag"
        placeholder="Add a tag"
        maxLength={LONGEST}
        value={written}
        onChange={(event) => setWritten(event.target.value)}
        onBlur={add}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== ",") return;
          event.preventDefault();
          add();
        }}
      />
    </div>
  );
}

/** The tags with those that were written, which commas part. One tag is there once. */
export function withTags(tags: readonly string[], written: string): string[] {
  return [...new Set([...tags, ...written.split(",").map((tag) => tag.trim()).filter(Boolean)])];
}
