import "./tag-field.css";
import { useState } from "react";

/** The server's limit. */
const MAX_TAG_LENGTH = 100;

interface TagFieldProps {
  tags: readonly string[];
  onChange: (tags: readonly string[]) => void;
}

/** Removable tags, and a field for the next one. */
export function TagField({ tags, onChange }: TagFieldProps) {
  const [input, setInput] = useState("");
  const add = () => {
    const next = withTags(tags, input);
    setInput("");
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
        maxLength={MAX_TAG_LENGTH}
        value={input}
        onChange={(event) => setInput(event.target.value)}
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

/** The tags and the comma-separated new ones, without duplicates. */
export function withTags(tags: readonly string[], input: string): string[] {
  return [...new Set([...tags, ...input.split(",").map((tag) => tag.trim()).filter(Boolean)])];
}
