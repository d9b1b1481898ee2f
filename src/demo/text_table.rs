//! Rows as a small table for a terminal.

/// Rows under their column names, indented; long values are cut.
pub fn table(columns: &[String], rows: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = columns.iter().map(|name| name.chars().count()).collect();
    for row in rows {
        for (width, value) in widths.iter_mut().zip(row) {
            *width = (*width).max(value.chars().count().min(VALUE_CHARACTERS_MAX));
        }
    }
    let mut text = String::new();
    line(&mut text, columns, &widths);
    let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
    line(&mut text, &rule, &widths);
    for row in rows {
        line(&mut text, row, &widths);
    }
    text
}

fn line(text: &mut String, values: &[String], widths: &[usize]) {
    let cells: Vec<String> = values
        .iter()
        .zip(widths)
        .map(|(value, width)| {
            let shown: String = value.chars().take(VALUE_CHARACTERS_MAX).collect();
            // Numbers line up on the right.
            if value.parse::<f64>().is_ok() {
                format!("{shown:>width$}")
            } else {
                format!("{shown:<width$}")
            }
        })
        .collect();
    text.push_str("      ");
    text.push_str(cells.join("  ").trim_end());
    text.push('\n');
}

/// Wide enough for a name, narrow enough for four columns in a terminal.
const VALUE_CHARACTERS_MAX: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    #[test]
    fn columns_line_up() {
        let shown = table(
            &row(&["name", "n"]),
            &[row(&["Ärmel", "7"]), row(&["b", "123"])],
        );
        assert_eq!(
            shown,
            "      name   n\n      ─────  ───\n      Ärmel    7\n      b      123\n"
        );
    }

    #[test]
    fn long_values_are_cut() {
        let shown = table(&row(&["x"]), &[row(&[&"y".repeat(200)])]);
        assert!(
            shown
                .lines()
                .all(|line| line.chars().count() <= VALUE_CHARACTERS_MAX + 6)
        );
    }
}
