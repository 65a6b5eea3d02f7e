// Copyright The COSI for TypeScript Authors. Apache-2.0.

package actor

import (
	"fmt"
	"regexp"

	"github.com/cosi-project/runtime/pkg/resource"
)

// term is a label term as JSON, named by the operations of the wire format.
type term struct {
	Key    string   `json:"key"`
	Op     string   `json:"op"`
	Value  []string `json:"value"`
	Invert bool     `json:"invert"`
}

// queries select resources.
type queries struct {
	Labels [][]term `json:"labels"`
	ID     string   `json:"idQuery"`
}

var operations = map[string]resource.LabelOp{
	"EXISTS":      resource.LabelOpExists,
	"EQUAL":       resource.LabelOpEqual,
	"IN":          resource.LabelOpIn,
	"LT":          resource.LabelOpLT,
	"LTE":         resource.LabelOpLTE,
	"LT_NUMERIC":  resource.LabelOpLTNumeric,
	"LTE_NUMERIC": resource.LabelOpLTENumeric,
}

func (given queries) labelQueries() ([]resource.LabelQueryOption, error) {
	var made []resource.LabelQueryOption
	for _, terms := range given.Labels {
		var query resource.LabelQuery
		for _, each := range terms {
			operation, known := operations[each.Op]
			if !known {
				return nil, fmt.Errorf("there is no label operation %q", each.Op)
			}
			query.Terms = append(query.Terms, resource.LabelTerm{
				Key: each.Key, Value: each.Value, Op: operation, Invert: each.Invert,
			})
		}
		made = append(made, resource.RawLabelQuery(query))
	}

	return made, nil
}

func (given queries) idQuery() ([]resource.IDQueryOption, error) {
	if given.ID == "" {
		return nil, nil
	}
	compiled, err := regexp.Compile(given.ID)
	if err != nil {
		return nil, err
	}

	return []resource.IDQueryOption{resource.IDRegexpMatch(compiled)}, nil
}
